// Code generated from package abi by `go test ./internal/abigen -update`. DO NOT EDIT.

export const VersionMajor = 1;
export const VersionMinor = 0;
export const Version = 65536;
export const RecordsMax = 256;
export const ReserveBytesMax = 1048576;
export const ScratchBytesMin = 65536;
export const ConnectionsMax = 1024;
export const MethodsMax = 4096;
export const MethodBytesMax = 262144;
export const NumberMax = 9007199254740991;
export const TurnEOF = 1;
export const TurnEnd = 2;
export const TurnTake = 4;
export const TurnWriteFailed = 8;
export const TurnDrain = 16;
export const TurnFlags = 31;
export const ReadyMore = 1;
export const ReadyPaused = 2;
export const ReadyOutputDone = 4;
export const ReadyViolation = 8;
export const ConfigOutFailFast = 1;
export const ConfigLooseIDs = 2;
export const ConfigResync = 4;
export const ConfigParkFail = 8;
export const ItemNotification = 1;
export const ItemQuiet = 2;
export const LimitsCount = 17;
export const StatsCount = 25;
export const ConfigBytesMin = 16;
export const MemoryBytesCeiling = 2147483648;

export const BoundaryError = {
  Handle: 256,
  Pointer: 257,
  Number: 258,
  Record: 259,
  Scratch: 260,
  Config: 261,
  Memory: 262,
  Connections: 263,
  Methods: 264,
} as const;
export type BoundaryError = (typeof BoundaryError)[keyof typeof BoundaryError];
export const BoundaryErrorText: Record<BoundaryError, string> = {
  256: "abi: no open connection has this handle",
  257: "abi: an argument lies outside the scratch block last handed out",
  258: "abi: a number, flag or enumerator is out of range",
  259: "abi: a record is cut short or misaligned",
  260: "abi: more scratch than the largest frame allows",
  261: "abi: the configuration was refused",
  262: "abi: the configuration does not fit the memory given",
  263: "abi: too many open connections in this instance",
  264: "abi: too many entries in the method table",
};

export const Role = {
  Client: 0,
  Server: 1,
  Peer: 2,
  Relay: 3,
} as const;
export type Role = (typeof Role)[keyof typeof Role];

export const Profile = {
  LSP: 0,
  MCP: 1,
  Control: 2,
  Plain: 3,
} as const;
export type Profile = (typeof Profile)[keyof typeof Profile];

export const Framing = {
  Header: 0,
  Line: 1,
  Length4: 2,
  Whole: 3,
} as const;
export type Framing = (typeof Framing)[keyof typeof Framing];

export const Envelope = {
  JSONRPC: 0,
} as const;
export type Envelope = (typeof Envelope)[keyof typeof Envelope];

export const Inbound = {
  Handlers: 0,
  Messages: 1,
} as const;
export type Inbound = (typeof Inbound)[keyof typeof Inbound];

export const SendPolicy = {
  Finish: 0,
  End: 1,
} as const;
export type SendPolicy = (typeof SendPolicy)[keyof typeof SendPolicy];

export const PauseOn = {
  Answers: 0,
  Any: 1,
} as const;
export type PauseOn = (typeof PauseOn)[keyof typeof PauseOn];

export const Mode = {
  Default: 0,
  Read: 1,
  Order: 2,
  Write: 3,
  Background: 4,
  Bypass: 5,
} as const;
export type Mode = (typeof Mode)[keyof typeof Mode];

export const Phase = {
  Queued: 0,
  Running: 1,
  Succeeded: 2,
  Failed: 3,
  Cancelled: 4,
} as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

export const TimerKind = {
  None: 0,
  Call: 1,
  Answers: 2,
  Stall: 3,
  Grace: 4,
  Progress: 5,
  Linger: 6,
} as const;
export type TimerKind = (typeof TimerKind)[keyof typeof TimerKind];

export const EventKind = {
  None: 0,
  Request: 1,
  Notification: 2,
  Message: 3,
  Result: 4,
  Error: 5,
  InvalidAnswer: 6,
  Timeout: 7,
  Canceled: 8,
  Lost: 9,
  Progress: 10,
  CancelRequest: 11,
  Invalid: 12,
  Noise: 13,
  PeerError: 14,
  Resync: 15,
  Writable: 16,
  Stalled: 17,
  Dropped: 18,
  Ending: 19,
  Closed: 20,
} as const;
export type EventKind = (typeof EventKind)[keyof typeof EventKind];

export const Class = {
  Invalid: 0,
  Request: 1,
  Notification: 2,
  Result: 3,
  Error: 4,
  Batch: 5,
} as const;
export type Class = (typeof Class)[keyof typeof Class];

export const Reason = {
  None: 0,
  EOF: 1,
  Violation: 2,
  WriteFailed: 3,
  Torn: 4,
  Shutdown: 5,
  Aborted: 6,
  Exit: 7,
  Stalled: 8,
} as const;
export type Reason = (typeof Reason)[keyof typeof Reason];
export const ReasonText: Record<Reason, string> = {
  0: "none",
  1: "eof",
  2: "violation",
  3: "write-failed",
  4: "torn",
  5: "shutdown",
  6: "aborted",
  7: "exit",
  8: "stalled",
};

export const Invalid = {
  None: 0,
  Empty: 1,
  JSON: 2,
  UTF8: 3,
  Depth: 4,
  Charset: 5,
  Scalar: 6,
  Batch: 7,
  Version: 8,
  Method: 9,
  Params: 10,
  ID: 11,
  NullID: 12,
  Error: 13,
  Shape: 14,
  Duplicate: 15,
  DAP: 16,
  LineSize: 17,
  BatchSize: 18,
} as const;
export type Invalid = (typeof Invalid)[keyof typeof Invalid];
export const InvalidText: Record<Invalid, string> = {
  0: "none",
  1: "empty",
  2: "json",
  3: "utf8",
  4: "depth",
  5: "charset",
  6: "scalar",
  7: "batch",
  8: "version",
  9: "method",
  10: "params",
  11: "id",
  12: "null-id",
  13: "error",
  14: "shape",
  15: "duplicate",
  16: "dap",
  17: "line-size",
  18: "batch-size",
};

export const Hint = {
  None: 0,
  TextMode: 1,
  BareJSON: 2,
  StdoutNoise: 3,
  Header: 4,
  Pretty: 5,
  Terminal: 6,
  Text: 7,
  Little: 8,
  DAP: 9,
  Charset: 10,
  OverLimit: 11,
} as const;
export type Hint = (typeof Hint)[keyof typeof Hint];
export const HintText: Record<Hint, string> = {
  0: "",
  1: "lines end with LF alone: the peer writes stdout in text mode",
  2: "the peer sends bare JSON without a Content-Length header",
  3: "something else writes to the peer's stdout",
  4: "the peer frames with Content-Length headers",
  5: "the peer prints one JSON text over several lines",
  6: "escape sequences: terminal output",
  7: "the four length bytes look like text",
  8: "the four length bytes look little-endian",
  9: "this is Debug Adapter Protocol traffic, not JSON-RPC",
  10: "the header names a charset other than utf-8",
  11: "the size is over the limit",
};

export const Violation = {
  None: 0,
  Truncated: 1,
  HeaderSize: 2,
  Field: 3,
  Noise: 4,
  Length: 5,
  MissingLength: 6,
  DuplicateLength: 7,
  LineEnd: 8,
  LineSize: 9,
  Parse: 10,
  Backlog: 11,
} as const;
export type Violation = (typeof Violation)[keyof typeof Violation];
export const ViolationText: Record<Violation, string> = {
  0: "none",
  1: "truncated",
  2: "header-size",
  3: "field",
  4: "noise",
  5: "length",
  6: "missing-length",
  7: "duplicate-length",
  8: "line-end",
  9: "line-size",
  10: "parse",
  11: "backlog",
};

export const UsageError = {
  Unsupported: 1,
  Closed: 2,
  TooLarge: 3,
  OutputFull: 4,
  TooManyCalls: 5,
  Timeout: 6,
  Canceled: 7,
  UnknownCall: 8,
  UnknownRequest: 9,
  Answered: 10,
  NotRequest: 11,
  BadJSON: 12,
  BadParams: 13,
  BadMethod: 14,
  BadID: 15,
  IDTaken: 16,
  BadCount: 17,
  Parked: 18,
  Tracing: 19,
  BadProgress: 20,
} as const;
export type UsageError = (typeof UsageError)[keyof typeof UsageError];
export const UsageErrorText: Record<UsageError, string> = {
  1: "core: unsupported here",
  2: "core: the conversation has ended",
  3: "core: message too large: over the frame limit, or backlog full",
  4: "core: output queue full",
  5: "core: too many open calls",
  6: "core: deadline already passed",
  7: "core: the request was cancelled; nothing is sent for it",
  8: "core: unknown call",
  9: "core: unsupported: unknown request",
  10: "core: unsupported: the request is already answered",
  11: "core: unsupported: a notification cannot be answered",
  12: "core: not one valid JSON text",
  13: "core: params must be an object or an array",
  14: "core: the method name is empty",
  15: "core: a chosen id must be a string or an integer of at most IDBytesMax bytes",
  16: "core: the chosen id is pending or was abandoned unanswered",
  17: "core: count exceeds what was handed out",
  18: "core: no room for what arrived while paused",
  19: "core: the trace runs already, or does not run",
  20: "core: the progress token is unusable or taken, or Extend lacks a token or DeadlineMax",
};

export const Code = {
  Parse: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  Internal: -32603,
  NotInitialized: -32002,
  Canceled: -32800,
  Superseded: -32801,
  ServerCanceled: -32803,
} as const;
export type Code = (typeof Code)[keyof typeof Code];

export const InputPhase = {
  Open: 0,
  Ended: 1,
  Broken: 2,
} as const;
export type InputPhase = (typeof InputPhase)[keyof typeof InputPhase];

export const OutputPhase = {
  Open: 0,
  Answering: 1,
  Finishing: 2,
  Done: 3,
  Failed: 4,
} as const;
export type OutputPhase = (typeof OutputPhase)[keyof typeof OutputPhase];

export const Lifecycle = {
  None: 0,
  Uninitialized: 1,
  Initializing: 2,
  Ready: 3,
  Shutdown: 4,
  Exited: 5,
} as const;
export type Lifecycle = (typeof Lifecycle)[keyof typeof Lifecycle];

export const SpanBytes = 8;
export const SpanAt = {
  Address: 0, // u32
  Bytes: 4, // u32
} as const;

export const ListBytes = 16;
export const ListAt = {
  Address: 0, // u32
  Count: 4, // u32
  Stride: 8, // u32
} as const;

export const ConfigBytes = 216;
export const ConfigAt = {
  Bytes: 0, // u32
  Profile: 4, // u8
  Role: 5, // u8
  Framing: 6, // u8
  Envelope: 7, // u8
  Inbound: 8, // u8
  SendPolicy: 9, // u8
  PauseOn: 10, // u8
  Flags: 11, // u8
  MemoryBytesMax: 16, // f64
  SessionID: 24, // span
  Seed: 32, // u64
  FirstID: 40, // f64
  GraceNs: 48, // f64
  ShutdownNs: 56, // f64
  StallNs: 64, // f64
  StallMaxNs: 72, // f64
  Limits: 80, // 17*f64
} as const;

export const RefusalBytes = 40;
export const RefusalAt = {
  Field: 0, // span
  Reason: 8, // span
  Value: 16, // f64
  Min: 24, // f64
  Max: 32, // f64
} as const;

export const ReadyBytes = 56;
export const ReadyAt = {
  Bytes: 0, // u32
  EventBytes: 4, // u32
  Events: 8, // u32
  EventCount: 12, // u32
  Out: 16, // span
  In: 24, // span
  Flags: 32, // u32
  Timer: 36, // u8
  Deadline: 40, // f64
  OutputBytes: 48, // f64
} as const;

export const EventBytes = 96;
export const EventAt = {
  Kind: 0, // u8
  Class: 1, // u8
  Reason: 2, // u8
  Invalid: 3, // u8
  Hint: 4, // u8
  Code: 8, // i32
  Call: 16, // f64
  Req: 24, // f64
  Ordinal: 32, // f64
  Offset: 40, // f64
  Count: 48, // f64
  ID: 56, // span
  Method: 64, // span
  Body: 72, // span
  Text: 80, // span
  Frame: 88, // span
} as const;

export const StateBytes = 96;
export const StateAt = {
  Input: 0, // u8
  Output: 1, // u8
  Lifecycle: 2, // u8
  Reason: 3, // u8
  Closed: 4, // u8
  Paused: 5, // u8
  Violation: 6, // u8
  Hint: 7, // u8
  Invalid: 8, // u8
  Calls: 12, // u32
  Running: 16, // u32
  Waiting: 20, // u32
  ExitCode: 24, // i32
  Credit: 32, // f64
  AcceptedBytes: 40, // f64
  WrittenBytes: 48, // f64
  QueuedBytes: 56, // f64
  Offset: 64, // f64
  HaveBytes: 72, // f64
  NeedBytes: 80, // f64
  Sample: 88, // span
} as const;

export const SnapshotBytes = 88;
export const SnapshotAt = {
  Items: 0, // list
  Methods: 16, // list
  Dropped: 32, // list
  Trace: 48, // list
  Generation: 64, // f64
  TraceDropped: 72, // f64
  Truncated: 80, // u8
  Tracing: 81, // u8
} as const;

export const SnapshotItemBytes = 48;
export const SnapshotItemAt = {
  Ordinal: 0, // f64
  Generation: 8, // f64
  AcceptedAt: 16, // f64
  StartedAt: 24, // f64
  Method: 32, // span
  Mode: 40, // u8
  Running: 41, // u8
  Cancelled: 42, // u8
} as const;

export const MethodStatsBytes = 64;
export const MethodStatsAt = {
  Name: 0, // span
  Count: 8, // f64
  Failed: 16, // f64
  MeanNs: 24, // f64
  MaxNs: 32, // f64
  P50Ns: 40, // f64
  P95Ns: 48, // f64
  P99Ns: 56, // f64
} as const;

export const MethodCountBytes = 16;
export const MethodCountAt = {
  Method: 0, // span
  Count: 8, // f64
} as const;

export const TraceRecordBytes = 32;
export const TraceRecordAt = {
  At: 0, // f64
  Ordinal: 8, // f64
  Method: 16, // span
  Phase: 24, // u8
} as const;

export const BatchItemBytes = 72;
export const BatchItemAt = {
  Flags: 0, // u32
  Call: 8, // f64
  Deadline: 16, // f64
  Extend: 24, // f64
  DeadlineMax: 32, // f64
  Method: 40, // span
  Params: 48, // span
  Token: 56, // span
  ID: 64, // span
} as const;

export const SpliceBytes = 16;
export const SpliceAt = {
  Start: 0, // u32
  End: 4, // u32
  Value: 8, // span
} as const;

export const LimitsBytes = 136;
export const LimitsAt = {
  HeaderBytesMax: 0, // f64
  FrameBytesMax: 8, // f64
  FrameBytesMin: 16, // f64
  DepthMax: 24, // f64
  IDBytesMax: 32, // f64
  BlankBytesMax: 40, // f64
  CallsMax: 48, // f64
  AbandonedMax: 56, // f64
  OutBytesMax: 64, // f64
  RunningMax: 72, // f64
  BackgroundMax: 80, // f64
  QueuedMax: 88, // f64
  QueuedBytesMax: 96, // f64
  MessagesMax: 104, // f64
  ParkedBytesMax: 112, // f64
  MalformedMax: 120, // f64
  BatchMax: 128, // f64
} as const;

export const StatsBytes = 200;
export const StatsAt = {
  BytesIn: 0, // f64
  BytesOut: 8, // f64
  FramesIn: 16, // f64
  FramesOut: 24, // f64
  Calls: 32, // f64
  Requests: 40, // f64
  Notifications: 48, // f64
  Late: 56, // f64
  Unknown: 64, // f64
  BlankBytes: 72, // f64
  ByteOrderMarks: 80, // f64
  Invalid: 88, // f64
  Noise: 96, // f64
  ResyncBytes: 104, // f64
  NullMembers: 112, // f64
  PeerErrors: 120, // f64
  Rejected: 128, // f64
  Dropped: 136, // f64
  CancelsIgnored: 144, // f64
  Progress: 152, // f64
  ClockBackwards: 160, // f64
  WaitingMax: 168, // f64
  OutBytesMax: 176, // f64
  PausedNs: 184, // f64
  Unserved: 192, // f64
} as const;

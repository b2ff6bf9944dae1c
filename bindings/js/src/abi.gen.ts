// Code generated from package abi by `go test ./internal/abigen -update`. DO NOT EDIT.

export const VersionMajor = 1;
export const VersionMinor = 1;
export const Version = 65537;
export const RecordsMax = 256;
export const ReserveBytesMax = 65536;
export const ScratchBytesMin = 65536;
export const ConnectionsMax = 1024;
export const ErasMax = 1024;
export const ResumesMax = 1024;
export const MethodsMax = 4096;
export const MethodBytesMax = 262144;
export const NumberMax = 9007199254740991;
export const TurnEOF = 1;
export const TurnEnd = 2;
export const TurnTake = 4;
export const TurnWriteFailed = 8;
export const TurnDrain = 16;
export const TurnReadFailed = 32;
export const TurnScratch = 64;
export const TurnFlags = 127;
export const ReadyMore = 1;
export const ReadyPaused = 2;
export const ReadyOutputDone = 4;
export const ReadyViolation = 8;
export const ReadyDrained = 16;
export const ConfigOutFailFast = 1;
export const ConfigLooseIDs = 2;
export const ConfigResync = 4;
export const ConfigParkFail = 8;
export const ItemNotification = 1;
export const ItemQuiet = 2;
export const LimitsCount = 18;
export const StatsCount = 25;
export const ConfigBytesMin = 16;
export const MemoryBytesCeiling = 2147483648;

/** BoundaryError is what the boundary itself refuses. It crosses as its negative, as a core.UsageError does; those lie below 256. State is untouched by whatever is refused. */
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
/** One of them. */
export type BoundaryError = (typeof BoundaryError)[keyof typeof BoundaryError];
/** What each BoundaryError means, for people. */
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

/** Role is the side of the connection that this Conn plays. */
export const Role = {
  Client: 0,
  Server: 1,
  Peer: 2,
  Relay: 3,
} as const;
/** One of them. */
export type Role = (typeof Role)[keyof typeof Role];

/** Profile is a family of peers: framing, limits, and how it spells cancellation. A profile is a row of the table below and nothing else: no code asks which profile it runs under. */
export const Profile = {
  LSP: 0,
  MCP: 1,
  Control: 2,
  Plain: 3,
} as const;
/** One of them. */
export type Profile = (typeof Profile)[keyof typeof Profile];

/** Framing is how one message is told from the next. */
export const Framing = {
  Header: 0,
  Line: 1,
  Length4: 2,
  Whole: 3,
} as const;
/** One of them. */
export type Framing = (typeof Framing)[keyof typeof Framing];

/** Envelope is what a message looks like once it is cut out. */
export const Envelope = {
  JSONRPC: 0,
} as const;
/** One of them. */
export type Envelope = (typeof Envelope)[keyof typeof Envelope];

/** Inbound chooses, for the life of a Conn, who consumes messages from the peer. */
export const Inbound = {
  Handlers: 0,
  Messages: 1,
} as const;
/** One of them. */
export type Inbound = (typeof Inbound)[keyof typeof Inbound];

/** SendPolicy says what an interruption does to a frame that has begun (SEND-4). */
export const SendPolicy = {
  Finish: 0,
  End: 1,
} as const;
/** One of them. */
export type SendPolicy = (typeof SendPolicy)[keyof typeof SendPolicy];

/** PauseOn says which queued output stops reading (BACK-3). */
export const PauseOn = {
  Answers: 0,
  Any: 1,
} as const;
/** One of them. */
export type PauseOn = (typeof PauseOn)[keyof typeof PauseOn];

/** Mode is how a method is scheduled (SCHED-1). */
export const Mode = {
  Default: 0,
  Read: 1,
  Order: 2,
  Write: 3,
  Background: 4,
  Bypass: 5,
} as const;
/** One of them. */
export type Mode = (typeof Mode)[keyof typeof Mode];

/** Phase is how far one message of theirs has come (SCHED-3). */
export const Phase = {
  Queued: 0,
  Running: 1,
  Succeeded: 2,
  Failed: 3,
  Cancelled: 4,
} as const;
/** One of them. */
export type Phase = (typeof Phase)[keyof typeof Phase];

/** TimerKind says why Deadline wants to be woken. */
export const TimerKind = {
  None: 0,
  Call: 1,
  Answers: 2,
  Stall: 3,
  Grace: 4,
  Progress: 5,
  Linger: 6,
} as const;
/** One of them. */
export type TimerKind = (typeof TimerKind)[keyof typeof TimerKind];

/** EventKind is what happened. Numbers are stable: they cross the ABI. */
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
/** One of them. */
export type EventKind = (typeof EventKind)[keyof typeof EventKind];

/** Class is what a frame is, as far as its envelope tells (relay). */
export const Class = {
  Invalid: 0,
  Request: 1,
  Notification: 2,
  Result: 3,
  Error: 4,
  Batch: 5,
} as const;
/** One of them. */
export type Class = (typeof Class)[keyof typeof Class];

/** Reason is why a conversation ended or a call was lost. The first one stays. */
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
  ReadFailed: 9,
} as const;
/** One of them. */
export type Reason = (typeof Reason)[keyof typeof Reason];
/** What each Reason means, for people. */
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
  9: "read-failed",
};

/** Invalid is why one well-framed frame is no message (MSG). */
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
/** One of them. */
export type Invalid = (typeof Invalid)[keyof typeof Invalid];
/** What each Invalid means, for people. */
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

/** Hint is the likely cause of a Violation or of an Invalid frame. Numbers are stable. */
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
/** One of them. */
export type Hint = (typeof Hint)[keyof typeof Hint];
/** What each Hint means, for people. */
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

/** Violation is why the peer's byte stream can no longer be trusted, or why the session ended over what the peer sent. Numbers are stable: they cross the ABI. */
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
/** One of them. */
export type Violation = (typeof Violation)[keyof typeof Violation];
/** What each Violation means, for people. */
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

/** UsageError is the caller's fault or the caller's bad luck: the command was refused and the state is untouched. Values compare with == and cross the ABI as their number. */
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
  Tracing: 18,
  BadProgress: 19,
} as const;
/** One of them. */
export type UsageError = (typeof UsageError)[keyof typeof UsageError];
/** What each UsageError means, for people. */
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
  18: "core: the trace runs already, or does not run",
  19: "core: the progress token is unusable or taken, or Extend lacks a token or DeadlineMax",
};

/** Code is a JSON-RPC error code. */
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
/** One of them. */
export type Code = (typeof Code)[keyof typeof Code];

/** InputPhase is the peer's direction. */
export const InputPhase = {
  Open: 0,
  Ended: 1,
  Broken: 2,
} as const;
/** One of them. */
export type InputPhase = (typeof InputPhase)[keyof typeof InputPhase];

/** OutputPhase is our direction. */
export const OutputPhase = {
  Open: 0,
  Answering: 1,
  Finishing: 2,
  Done: 3,
  Failed: 4,
} as const;
/** One of them. */
export type OutputPhase = (typeof OutputPhase)[keyof typeof OutputPhase];

/** Lifecycle is LSP's, on servers that have initialize in their method table (STOP-9). */
export const Lifecycle = {
  None: 0,
  Uninitialized: 1,
  Initializing: 2,
  Ready: 3,
  Shutdown: 4,
  Exited: 5,
} as const;
/** One of them. */
export type Lifecycle = (typeof Lifecycle)[keyof typeof Lifecycle];

/** Era is how a server is spoken to. It is a property of the server, not of a request. */
export const Era = {
  Unknown: 0,
  Legacy: 1,
  Modern: 2,
} as const;
/** One of them. */
export type Era = (typeof Era)[keyof typeof Era];

/** EraMode is how an era is chosen (ERA-10). */
export const EraMode = {
  Auto: 0,
  Legacy: 1,
  Pinned: 2,
} as const;
/** One of them. */
export type EraMode = (typeof EraMode)[keyof typeof EraMode];

/** EraStepKind is what a Negotiation wants done. Numbers are stable: they cross the ABI. */
export const EraStepKind = {
  None: 0,
  Call: 1,
  Notify: 2,
  Probed: 3,
  Forget: 4,
  Restart: 5,
  Modern: 6,
  Legacy: 7,
  Failed: 8,
} as const;
/** One of them. */
export type EraStepKind = (typeof EraStepKind)[keyof typeof EraStepKind];

/** EraFailureKind is why no era was agreed on. Numbers are stable: they cross the ABI. */
export const EraFailureKind = {
  None: 0,
  Versions: 1,
  Refused: 2,
  Malformed: 3,
  Timeout: 4,
  Lost: 5,
  Canceled: 6,
} as const;
/** One of them. */
export type EraFailureKind = (typeof EraFailureKind)[keyof typeof EraFailureKind];

/** ResumeFailureKind is why an attempt or the session is over. Numbers are stable: they cross the ABI. */
export const ResumeFailureKind = {
  None: 0,
  Lost: 1,
  Claim: 2,
  Greeting: 3,
  Expired: 4,
  Count: 5,
  Superseded: 6,
} as const;
/** One of them. */
export type ResumeFailureKind = (typeof ResumeFailureKind)[keyof typeof ResumeFailureKind];
/** What each ResumeFailureKind means, for people. */
export const ResumeFailureKindText: Record<ResumeFailureKind, string> = {
  0: "none",
  1: "peer: it lacks texts that are no longer kept",
  2: "peer: it claims texts that were never sent",
  3: "peer: the first text is no greeting to this session",
  4: "peer: no socket came in time",
  5: "too many texts: a session counts to 2^53-1",
  6: "caller: this attempt is over, another has the session or none has",
};

export const SpanBytes = 8;
export const SpanAt = {
  address: 0, // u32
  bytes: 4, // u32
} as const;

export const ListBytes = 16;
export const ListAt = {
  address: 0, // u32
  count: 4, // u32
  stride: 8, // u32
} as const;

export const ConfigBytes = 224;
export const ConfigAt = {
  bytes: 0, // u32
  profile: 4, // u8
  role: 5, // u8
  framing: 6, // u8
  envelope: 7, // u8
  inbound: 8, // u8
  sendPolicy: 9, // u8
  pauseOn: 10, // u8
  flags: 11, // u8
  memoryBytesMax: 16, // f64
  sessionID: 24, // span
  seed: 32, // u64
  firstID: 40, // f64
  graceNs: 48, // f64
  shutdownNs: 56, // f64
  stallNs: 64, // f64
  stallMaxNs: 72, // f64
  limits: 80, // 18*f64
} as const;

export const RefusalBytes = 40;
export const RefusalAt = {
  field: 0, // span
  reason: 8, // span
  value: 16, // f64
  min: 24, // f64
  max: 32, // f64
} as const;

export const ReadyBytes = 56;
export const ReadyAt = {
  bytes: 0, // u32
  eventBytes: 4, // u32
  events: 8, // u32
  eventCount: 12, // u32
  out: 16, // span
  in: 24, // span
  flags: 32, // u32
  timer: 36, // u8
  deadline: 40, // f64
  outputBytes: 48, // f64
} as const;

export const EventBytes = 96;
export const EventAt = {
  kind: 0, // u8
  class: 1, // u8
  reason: 2, // u8
  invalid: 3, // u8
  hint: 4, // u8
  code: 8, // i32
  call: 16, // f64
  req: 24, // f64
  ordinal: 32, // f64
  offset: 40, // f64
  count: 48, // f64
  id: 56, // span
  method: 64, // span
  body: 72, // span
  text: 80, // span
  frame: 88, // span
} as const;

export const StateBytes = 96;
export const StateAt = {
  input: 0, // u8
  output: 1, // u8
  lifecycle: 2, // u8
  reason: 3, // u8
  closed: 4, // u8
  paused: 5, // u8
  violation: 6, // u8
  hint: 7, // u8
  invalid: 8, // u8
  calls: 12, // u32
  running: 16, // u32
  waiting: 20, // u32
  exitCode: 24, // i32
  credit: 32, // f64
  acceptedBytes: 40, // f64
  writtenBytes: 48, // f64
  queuedBytes: 56, // f64
  offset: 64, // f64
  haveBytes: 72, // f64
  needBytes: 80, // f64
  sample: 88, // span
} as const;

export const SnapshotBytes = 88;
export const SnapshotAt = {
  items: 0, // list
  methods: 16, // list
  dropped: 32, // list
  trace: 48, // list
  generation: 64, // f64
  traceDropped: 72, // f64
  truncated: 80, // u8
  tracing: 81, // u8
} as const;

export const SnapshotItemBytes = 48;
export const SnapshotItemAt = {
  ordinal: 0, // f64
  generation: 8, // f64
  acceptedAt: 16, // f64
  startedAt: 24, // f64
  method: 32, // span
  mode: 40, // u8
  running: 41, // u8
  cancelled: 42, // u8
} as const;

export const MethodStatsBytes = 64;
export const MethodStatsAt = {
  name: 0, // span
  count: 8, // f64
  failed: 16, // f64
  meanNs: 24, // f64
  maxNs: 32, // f64
  p50Ns: 40, // f64
  p95Ns: 48, // f64
  p99Ns: 56, // f64
} as const;

export const MethodCountBytes = 16;
export const MethodCountAt = {
  method: 0, // span
  count: 8, // f64
} as const;

export const TraceRecordBytes = 32;
export const TraceRecordAt = {
  at: 0, // f64
  ordinal: 8, // f64
  method: 16, // span
  phase: 24, // u8
} as const;

export const BatchItemBytes = 72;
export const BatchItemAt = {
  flags: 0, // u32
  call: 8, // f64
  deadline: 16, // f64
  extend: 24, // f64
  deadlineMax: 32, // f64
  method: 40, // span
  params: 48, // span
  token: 56, // span
  id: 64, // span
} as const;

export const SpliceBytes = 16;
export const SpliceAt = {
  start: 0, // u32
  end: 4, // u32
  value: 8, // span
} as const;

export const EraConfigBytes = 56;
export const EraConfigAt = {
  bytes: 0, // u32
  mode: 4, // u8
  known: 5, // u8
  spawned: 6, // u8
  version: 8, // span
  info: 16, // span
  capabilities: 24, // span
  probeNs: 32, // f64
  startupNs: 40, // f64
  connectNs: 48, // f64
} as const;

export const EraStepBytes = 64;
export const EraStepAt = {
  kind: 0, // u8
  era: 1, // u8
  failure: 2, // u8
  call: 4, // u32
  deadline: 8, // f64
  method: 16, // span
  version: 24, // span
  id: 32, // span
  params: 40, // span
  result: 48, // span
  text: 56, // span
} as const;

export const ResumeConfigBytes = 48;
export const ResumeConfigAt = {
  bytes: 0, // u32
  session: 8, // span
  bytesMax: 16, // f64
  textBytesMax: 24, // f64
  ageNs: 32, // f64
  memoryBytesMax: 40, // f64
} as const;

export const ResumeStateBytes = 48;
export const ResumeStateAt = {
  failure: 0, // u8
  close: 4, // u32
  sent: 8, // f64
  received: 16, // f64
  session: 24, // span
  name: 32, // span
  text: 40, // span
} as const;

export const LimitsBytes = 144;
export const LimitsAt = {
  headerBytesMax: 0, // f64
  frameBytesMax: 8, // f64
  frameBytesMin: 16, // f64
  depthMax: 24, // f64
  idBytesMax: 32, // f64
  blankBytesMax: 40, // f64
  callsMax: 48, // f64
  abandonedMax: 56, // f64
  outBytesMax: 64, // f64
  runningMax: 72, // f64
  backgroundMax: 80, // f64
  queuedMax: 88, // f64
  queuedBytesMax: 96, // f64
  messagesMax: 104, // f64
  parkedBytesMax: 112, // f64
  malformedMax: 120, // f64
  batchMax: 128, // f64
  parkedMax: 136, // f64
} as const;

export const StatsBytes = 200;
export const StatsAt = {
  bytesIn: 0, // f64
  bytesOut: 8, // f64
  framesIn: 16, // f64
  framesOut: 24, // f64
  calls: 32, // f64
  requests: 40, // f64
  notifications: 48, // f64
  late: 56, // f64
  unknown: 64, // f64
  blankBytes: 72, // f64
  byteOrderMarks: 80, // f64
  invalid: 88, // f64
  noise: 96, // f64
  resyncBytes: 104, // f64
  nullMembers: 112, // f64
  peerErrors: 120, // f64
  rejected: 128, // f64
  dropped: 136, // f64
  cancelsIgnored: 144, // f64
  progress: 152, // f64
  clockBackwards: 160, // f64
  waitingMax: 168, // f64
  outBytesMax: 176, // f64
  pausedNs: 184, // f64
  unserved: 192, // f64
} as const;

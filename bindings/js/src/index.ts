// What every entry exports: all that needs neither Node nor a browser.

export {
  Class,
  Code,
  Era,
  EraFailureKind,
  EraMode,
  EraStepKind,
  EventKind,
  Framing,
  Hint,
  HintText,
  Inbound,
  InputPhase,
  Invalid,
  InvalidText,
  Lifecycle,
  Mode,
  OutputPhase,
  PauseOn,
  Phase,
  Profile,
  Reason,
  ReasonText,
  ResumeFailureKind,
  Role,
  SendPolicy,
  TimerKind,
  UsageError,
  UsageErrorText,
  Violation,
  ViolationText,
} from './abi.gen.js';
export type { Config, Limits, Method } from './config.js';
export { Engine, type EngineOptions } from './engine.js';
export { ConfigError, ProtocolError, RefusedError, TrapError, type ViolationFacts } from './errors.js';
export { EraError, EraNegotiation, type EraConfig, type EraOutcome, type EraStep } from './era.js';
export { MachineEvent } from './event.js';
export type { Snapshot, State, Stats } from './inspect.js';
export { load, type ModuleSource } from './load.js';
export { Machine } from './machine.js';
export type { MachineBatchItem, MachineCallOptions, MachineTurn, Splice } from './machine-inputs.js';
export type { Text } from './scratch.js';
export type { BatchItem, CallOptions } from './call.js';
export { systemClock, type Clock } from './clock.js';
export { CallError, ParseError, RPCError, SessionError, type CallFacts, type CallFailure, type Fault } from './faults.js';
export type { Handler, HandlerContext, HandleOptions } from './handlers.js';
export { encode, Json } from './json.js';
export { Message } from './messages.js';
export type { Observation } from './observation.js';
export { limitDefaults, type PeerOptions } from './options.js';
export { Peer } from './peer.js';
export { Relay, type RelayListener, type RelayOptions } from './relay.js';
export { InvalidMessageError, type Relayed } from './relayed.js';
export { Resume, ResumeError, resumeSubprotocol, type ResumeConfig, type ResumeState } from './resume.js';
export type { Sink, Transport } from './transport.js';
export { portTransport, type PortLike } from './transports/port.js';
export { streamTransport, type StreamPair } from './transports/streams.js';
export { SocketError, type Dial } from './transports/attempt.js';
export { ResumingSocket, resumingSocket } from './transports/resuming.js';
export type { ResumingOptions, ResumingState } from './transports/resuming-options.js';
export type { WakeUps } from './transports/wake.js';
export { webSocketTransport, type WebSocketLike, type WebSocketOptions } from './transports/websocket.js';

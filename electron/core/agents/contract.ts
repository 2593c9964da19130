/**
 * The agent contract: all that the rest of the product may know about an agent.
 * An adapter is data where it can be and pure functions where it must be; it starts nothing,
 * writes nothing, and is the only place where its agent's name and native terms appear.
 */
import type { Classification } from '../../../shared/contracts/event.js';
import type { Point } from '../../../shared/contracts/points.js';
import type { BypassLevel, Operation, Signal, Verdict } from '../../../shared/contracts/vocabulary.js';
import type { Json, JsonObject } from '../../../shared/json.js';
import type { Result } from '../../../shared/result.js';

/** One native event of the agent, in canonical terms. */
export type NativeEvent = { readonly event: string; readonly sessionId: string | null; readonly cwd: string | null } & (
  | {
      readonly kind: 'tool.before';
      readonly callId: string;
      readonly toolName: string;
      readonly args: JsonObject;
      /** False where the call has no item in the coverage source (e.g. shell lines of skills). */
      readonly inCoverage: boolean;
    }
  | {
      readonly kind: 'tool.after';
      readonly callId: string;
      readonly toolName: string;
      /** The arguments that the agent says were executed. */
      readonly args: JsonObject;
      readonly ok: boolean;
      readonly result: Json;
    }
  /** The agent's own permission check asks. Some agents give no call id here. */
  | { readonly kind: 'permission'; readonly toolName: string; readonly args: JsonObject }
  | { readonly kind: 'turn.stopping'; readonly lastMessage: string | null; readonly alreadyDenied: boolean }
  | { readonly kind: 'session.start'; readonly source: string | null; readonly model: string | null }
  | { readonly kind: 'session.end'; readonly reason: string | null }
  /** The agent is about to take in changed settings; always refused while a run lives, and shown as tampering. */
  | { readonly kind: 'config.change'; readonly what: string }
  /** Tolerated and shown; never an answer. */
  | { readonly kind: 'unknown' }
);

/** What the gate answers, before the adapter puts it into the agent's own form. */
export type Answer =
  /** No objection. Never becomes an agent's "skip your permission prompt". */
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly reason: string }
  /** Rewritten arguments; the agent's own permission check still judges them. */
  | { readonly verdict: 'modify'; readonly args: JsonObject }
  /** Back to work, at turn.stopping. */
  | { readonly verdict: 'block'; readonly reason: string }
  /** A person's yes to the agent's own permission request, for exactly these arguments. */
  | { readonly verdict: 'grant'; readonly args: JsonObject };

/** An answer in the agent's own form. Over http only `body` travels; the full command uses all three. */
export interface NativeAnswer {
  /** Exactly one JSON object, never empty. */
  readonly body: string;
  readonly exit: number;
  readonly stderr: string;
}

/** How a point is served: by which native events, with which verdicts; or the gap, in words. */
export type PointSupport =
  { readonly events: readonly string[]; readonly verdicts: readonly Verdict[] } | { readonly gap: string };

export interface RouteGap {
  readonly id: string;
  readonly what: string;
  /** The measured run it rests on. */
  readonly measured: string;
  /** True where the compiled form closes it for runs with a blocking hook at `tool.before`, unless the gap is accepted. */
  readonly closable?: true;
}

/** One measured way in which the gate could be switched off, and what makes it harmless or finds it. */
export interface TamperRow {
  readonly id: string;
  readonly how: string;
  readonly answer: 'harmless' | 'found' | 'refused';
  readonly by: string;
  readonly measured: string;
}

export type VersionJudgement =
  | { readonly verdict: 'measured' }
  | { readonly verdict: 'unmeasured'; readonly note: string }
  | { readonly verdict: 'refused'; readonly reason: string };

/** Where the compiled configuration finds the gate. */
export interface GateAddress {
  readonly httpUrl: string;
  readonly token: string;
  /** Absolute path of the launcher script, and the arguments that come before the event's name. */
  readonly launcher: string;
  readonly launcherArgs: readonly string[];
}

export interface CompileInput {
  readonly gate: GateAddress;
  readonly version: string | null;
  readonly bypass: BypassLevel;
  /** True: a person approved the workspace's own configuration as it is, so the agent may take it in. */
  readonly workspaceConfig: boolean;
  readonly prompt: string;
  /** The agent's own session id, chosen by us where the agent allows it. */
  readonly sessionId: string;
  /** The agent-side time-out of a hook call, in whole seconds: above every deadline of ours. */
  readonly nativeTimeoutSeconds: number;
  /** Folder of the run's compiled configuration, mode 0700, absolute. */
  readonly configFolder: string;
  readonly agentArgs: readonly string[];
  /** Hosts that no proxy may stand before, the gate's among them; comma-separated. */
  readonly noProxy: string;
  /** Canonical path. */
  readonly workspace: string;
  /** True: routes past the hooks that can be closed (`RouteGap.closable`) are to be closed. */
  readonly closeRoutes: boolean;
  /** What the agent's own program answered so far to `prepare`, one text a question; empty for agents that are not asked. */
  readonly learned: readonly string[];
}

/** A question that the agent's own program answers, in lines over its standard input and output. */
export interface AgentQuestion {
  /** What is asked, to go on after "asked …". */
  readonly what: string;
  /** Arguments after the program. */
  readonly argv: readonly string[];
  /** Written at once, one a line; the input stays open until the answer is complete. */
  readonly lines: readonly string[];
  /** Whether these lines of output are the whole answer. */
  isComplete(lines: readonly string[]): boolean;
}

/** What comes next before a run can be compiled. */
export type PreparationStep =
  | { readonly step: 'ask'; readonly question: AgentQuestion }
  | { readonly step: 'refused'; readonly reason: string }
  | { readonly step: 'ready'; readonly findings: readonly ForeignFinding[] };

/** The session whose transcripts are looked for; `from` and `to` in Unix seconds. */
export interface TranscriptSession {
  readonly sessionId: string;
  readonly from: number;
  readonly to: number;
}

/** Calls read from files that the agent leaves; only after it has ended. */
export interface TranscriptSource {
  /** Absolute paths of the session's files, its sub-agents' among them. */
  files(reader: PreflightReader, session: TranscriptSession): readonly string[];
  /** A reader of one file: one line in, canonical events out; null for a line that is no record. */
  newReader(): (line: string) => readonly StreamEvent[] | null;
}

/** Where the program really is that a file found on PATH only starts. Absolute paths; the first program that exists counts. */
export interface ProgramBehind {
  readonly programs: readonly string[];
  /** Files that are part of the agent and of its approval, where they exist; relative to the program's folder. */
  readonly files: readonly string[];
}

/** Files to write into `configFolder` and the argv to start (without the program). */
export interface CompiledRun {
  readonly files: readonly { readonly name: string; readonly text: string }[];
  readonly argv: readonly string[];
  /** Variables that the agent needs for the gate to hold. */
  readonly env: Readonly<Record<string, string>>;
}

/** What the agent's own stream says happened, in canonical terms. */
export type StreamEvent =
  | {
      readonly kind: 'init';
      readonly sessionId: string | null;
      readonly model: string | null;
      readonly version: string | null;
    }
  | { readonly kind: 'message'; readonly text: string }
  | {
      readonly kind: 'tool.call';
      readonly callId: string;
      readonly toolName: string;
      readonly args: JsonObject;
      /** Id of the route gap by which such a call meets no hook. */
      readonly gap?: string;
    }
  | {
      readonly kind: 'tool.result';
      readonly callId: string;
      readonly ok: boolean;
      readonly executed: boolean;
      readonly text: string;
    }
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'result'; readonly ok: boolean; readonly reason: string; readonly text: string };

/** A foreign file that the workspace or the user brings and that the launch must know of. */
export interface ForeignFinding {
  readonly kind: 'workspace-config' | 'rewrite-gap' | 'refused';
  readonly path: string;
  readonly what: string;
  /** True for what would switch the gate off were it taken in; one that was not there at the launch is tampering. */
  readonly weakens?: true;
}

/** What is known of a session of the agent that has ended. */
export interface AgentStateInput {
  readonly home: string;
  /** The environment that the agent had. */
  readonly env: Readonly<Record<string, string>>;
  /** The session's id: the one that we chose, or the one that the agent's stream told. */
  readonly sessionId: string;
  /** Canonical path. */
  readonly workspace: string;
}

/** Where an agent keeps what was said in a session. */
export interface AgentStatePlace {
  /** A file, or a folder with all below it; absolute. */
  readonly path: string;
  /** Only files whose path below `path` (with `/`) it matches, where the folder also holds other sessions; null means all. */
  readonly within: RegExp | null;
  /** Where no file is there after a run: what that means for the exit scan, in words; null where it may well be so. */
  readonly missing: string | null;
  /** True where files also hold the words of other sessions: they are compared with how they stood before the run. */
  readonly shared?: true;
}

/** Read access that preflight lends an adapter: bounded, null when the file is absent; links are followed. */
export interface PreflightReader {
  readonly workspace: string;
  /** The folder where the agent keeps its own configuration for this profile. */
  readonly configDir: string;
  exists(path: string): boolean;
  readText(path: string): string | null;
  /** At most this many characters from the beginning of a file of any size; null when it is absent. */
  readHead(path: string, characters: number): string | null;
  /** Names in a folder, sorted by code unit; empty when it is absent or no folder. */
  list(path: string): readonly string[];
}

/** The configuration that a workspace brings, for agents that can be let take it in. */
export interface WorkspaceConfigCapability {
  /** Files and folders of it, relative to the workspace. */
  readonly roots: readonly string[];
  /** What other files hold for this workspace. */
  parts(reader: PreflightReader): readonly { readonly of: string; readonly text: string }[];
  /** What taking it in means for the gate, in words. */
  readonly meaning: string;
}

export interface AgentAdapter {
  readonly name: string;
  readonly title: string;
  /** Program names to look for on the login PATH, or null when the program is part of Sallyport. */
  readonly programNames: readonly string[] | null;
  readonly versionArgv: readonly string[];
  parseVersion(stdout: string): string | null;
  judgeVersion(version: string | null): VersionJudgement;
  readonly measuredVersions: readonly string[];
  /** Program files whose version is known without starting them (`sha256:` + hex); nothing unapproved is started to ask. */
  readonly measuredPrograms: readonly { readonly version: string; readonly digest: string }[];
  /** Variable that moves the agent's configuration folder, and the folder's default below the home folder. */
  readonly configDirEnv: string | null;
  readonly defaultHome: string | null;
  /** Variables taken from the user's environment because the agent cannot work without them. */
  readonly passThrough: readonly string[];

  readonly points: Readonly<
    Record<Exclude<Point, 'run.before' | 'run.after' | 'approval.requested' | 'integration.before'>, PointSupport>
  >;
  readonly operations: readonly Operation[];
  readonly signals: readonly Signal[];
  readonly bypassArgv: Readonly<Record<BypassLevel, readonly string[] | null>>;
  readonly protectedArgs: readonly string[];
  readonly tamper: readonly TamperRow[];
  routeGaps(version: string | null): readonly RouteGap[];
  /** Ended in this order, with the seam's grace between. */
  readonly endSignals: readonly ('SIGINT' | 'SIGTERM' | 'SIGKILL')[];
  /** Where calls are read for coverage; `transcript` takes the capability of that name. */
  readonly coverageSource: 'stream' | 'transcript';
  readonly transcript?: TranscriptSource;
  /** Present where what is found on PATH may only start the program; pure, with the real path of what was found. */
  programBehind?(found: string): ProgramBehind | null;
  /**
   * Present where the agent must be asked about itself before a run is compiled. Called again with each answer in
   * `learned` until it is ready; its program is started for it only after it was approved.
   */
  prepare?(input: CompileInput): PreparationStep;

  classify(toolName: string, args: JsonObject): Classification;
  /** The argument in which a tool that writes one whole file gets its new content; null for other tools. */
  contentArgument?(toolName: string): string | null;
  parseHookInput(event: string, payload: unknown): Result<NativeEvent, string>;
  formatHookOutput(event: string, answer: Answer): NativeAnswer;
  /**
   * True when the arguments that the agent reports as executed are those that were judged (after
   * our own rewrite), apart from what the agent itself was measured to fill in.
   */
  executedArgsMatch(toolName: string, judged: JsonObject, executed: JsonObject): boolean;
  /** Why these `agent_args` of a profile may not be used (they would switch the gate off or move it), in words; empty when they may. */
  refuseAgentArgs(args: readonly string[]): readonly string[];
  compileRun(input: CompileInput): CompiledRun;
  /** A reader of the agent's machine-readable output: one line in, canonical events out; null for a line that is no event of it. */
  readStreamLine(line: string): readonly StreamEvent[] | null;
  inspectForeign(reader: PreflightReader): readonly ForeignFinding[];
  /** Where the agent can be let take in the workspace's own configuration. Absent: it is always left out. */
  readonly workspaceConfig?: WorkspaceConfigCapability;
  /** Where the exit scan finds the files of one session. */
  agentState?(input: AgentStateInput): readonly AgentStatePlace[];
}

/** What the exit scan's two sides say to each other. Data only: it crosses a thread. */
import type { Finding } from '../../../shared/contracts/exit-scan.js';

export type Part = Finding['part'];

/** A place to look at: a file, or a folder with all below it. Links are not followed. */
export interface Root {
  readonly part: Part;
  readonly path: string;
  /** Only files whose path below `path` (with `/`) it matches; null means all. */
  readonly within: RegExp | null;
  /** Folders and files below it that are left out, absolute. */
  readonly without: readonly string[];
  /** Where nothing is found: why the scan is then incomplete, in words; null where that is fine. */
  readonly missing: string | null;
  /** What stood there before the run; null where that does not matter. */
  readonly before: Listing | null;
}

/** One file as it was before the run. */
export interface ListedFile {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** SHA-256 in hex, and fingerprints of the secrets in it; null where it was listed only. */
  readonly content: { readonly digest: string; readonly secrets: readonly string[] } | null;
}

/** A place whose state before a run is wanted. */
export type BeforeRoot = Pick<Root, 'path' | 'within' | 'without'> & {
  /** Larger files are listed only, in bytes. */
  readonly mostContent: number;
};

export interface Listing {
  readonly files: ReadonlyMap<string, ListedFile>;
  /** What could not be listed, in words. */
  readonly problems: readonly string[];
}

/** A file to look at. */
export interface Target {
  readonly part: Part;
  readonly path: string;
  /** `new`: it was not there before the run; `unknown`: what it held is not known. */
  readonly before: 'new' | 'unknown' | readonly string[];
}

export interface KnownSecretValue {
  readonly label: string;
  readonly value: string;
}

/** A secret in a file; it does not hold the secret. */
export interface RawFinding {
  readonly rule: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly offset: number | null;
  readonly preview: string;
  readonly fingerprint: string;
}

export interface ScanLimits {
  /** Bytes that are looked at in all. */
  readonly bytes: number;
  /** Milliseconds for everything. */
  readonly timeMs: number;
  /** Milliseconds for one rule in one file. */
  readonly ruleMs: number;
}

export const SCAN_LIMITS: ScanLimits = { bytes: 1_073_741_824, timeMs: 120_000, ruleMs: 10_000 };

/** What the worker is started with. */
export interface ScanWorkerData {
  /** Two counters: steps taken; the rule at work (its place in the list, or -1). */
  readonly pulse: SharedArrayBuffer;
  readonly key: Uint8Array;
  readonly known: readonly KnownSecretValue[];
}

export type ScanRequest =
  | { readonly ask: 'list'; readonly roots: readonly Root[] }
  /** `content`: how many bytes of files may be read, and for how long. */
  | {
      readonly ask: 'before';
      readonly roots: readonly BeforeRoot[];
      readonly content: { readonly bytes: number; readonly timeMs: number };
    }
  | { readonly ask: 'prompt'; readonly text: string }
  | { readonly ask: 'look'; readonly target: Target; readonly maxBytes: number; readonly skipRules: readonly number[] };

export type ScanAnswer =
  | { readonly answer: 'list'; readonly targets: readonly Target[]; readonly problems: readonly string[] }
  | { readonly answer: 'before'; readonly listing: Listing }
  | { readonly answer: 'prompt'; readonly secrets: readonly string[] }
  | {
      readonly answer: 'look';
      readonly found: readonly RawFinding[];
      readonly bytes: number;
      readonly problems: readonly string[];
    };

export const CACHE_FOLDER: string;
export const CLAUDE_CODE_VERSIONS: readonly string[];
export function claudeCodeProgram(version: string): string;

/** The versions of Codex that the tests run, newest first. */
export const CODEX_VERSIONS: readonly string[];
/** Absolute path of the script that npm puts on PATH as `codex`. Throws, saying what to do, when it is not installed. */
export function codexScript(version: string): string;
/** Absolute path of the native program that the script starts. */
export function codexProgram(version: string): string;

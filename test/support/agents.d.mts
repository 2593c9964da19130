export const CACHE_FOLDER: string;
export const CLAUDE_CODE_VERSIONS: readonly string[];
export function claudeCodeProgram(version: string): string;

import type { AgentAdapter } from './contract.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { practice } from './practice.js';

/** Every agent that this version knows. Adding one is its adapter file and its entry here. */
export const KNOWN_AGENTS: readonly AgentAdapter[] = [claudeCode, codex, practice];

/** The adapter of an agent by its name, or null. */
export function adapterNamed(name: string): AgentAdapter | null {
  return KNOWN_AGENTS.find((adapter) => adapter.name === name) ?? null;
}

/** The agent of a run that names neither profile nor agent. */
export const DEFAULT_AGENT = claudeCode.name;

import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

export interface ToolResult {
  readonly ok: boolean;
  readonly text: string;
}

type Input = Readonly<Record<string, unknown>>;

/** Runs one of the practice agent's tools for real: `shell`, `write`, `read`. */
export async function runTool(tool: string, input: Input, cwd: string): Promise<ToolResult> {
  try {
    switch (tool) {
      case 'shell':
        return await shell(text(input, 'command'), cwd);
      case 'write': {
        const path = resolve(cwd, text(input, 'path'));
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, text(input, 'content'));
        return { ok: true, text: `wrote ${path}` };
      }
      case 'read':
        return { ok: true, text: await readFile(resolve(cwd, text(input, 'path')), 'utf8') };
      default:
        return { ok: false, text: `there is no tool "${tool}"` };
    }
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

function text(input: Input, name: string): string {
  const value = input[name];
  if (typeof value !== 'string') throw new Error(`the argument "${name}" must be text`);
  return value;
}

function shell(command: string, cwd: string): Promise<ToolResult> {
  return new Promise((done) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const take = (chunk: string) => (output += chunk);
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => {
      done({ ok: false, text: error.message });
    });
    child.on('close', (code) => {
      done({ ok: code === 0, text: output.trimEnd() });
    });
  });
}

import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { interpreterOf, isInside, programFacts } from '../../../electron/core/approvals/program-facts.js';
import { agentProgramSubject } from '../../../electron/core/approvals/subjects.js';
import { sha256OfFile } from '../../../electron/core/approvals/digests.js';
import { tempFolder, testEnv, writeProgram } from '../../support/processes.js';

describe('facts of a program', () => {
  it('that must be pinned and cannot be read are an error', async () => {
    const gone = path.join(tempFolder(), 'gone');
    const result = await programFacts({ found: gone, real: gone }, { always: true, workspace: '/ws' });
    expect(result).toEqual({ ok: false, error: `${JSON.stringify(gone)} is not there` });
  });

  it.each([
    ['#!/bin/sh', 'sh'],
    ['#! /bin/sh -eu', 'sh'],
    ['#!/usr/bin/env cat', 'cat'],
    ['#!/usr/bin/env -S A=1 B=2 cat -n', 'cat'],
    ['#!/usr/bin/env', 'env'],
  ])('name the interpreter of %j', async (line, name) => {
    const file = writeProgram(tempFolder(), 'tool', `${line}\n`);
    const result = await interpreterOf(file, testEnv.PATH, '/');
    expect(result.ok && result.value !== null && path.basename(result.value.found)).toBe(name);
  });

  it('name none for what is no script or cannot be read', async () => {
    const folder = tempFolder();
    for (const file of [writeProgram(folder, 'plain', 'echo\n'), writeProgram(folder, 'empty', ''), `${folder}/gone`]) {
      expect(await interpreterOf(file, testEnv.PATH, '/')).toEqual({ ok: true, value: null });
    }
  });

  it('know what lies in a folder', () => {
    const inside = (file: string) => isInside(file, '/ws');
    expect(['/ws', '/ws/a', '/ws/..a', '/wsx', '/', '/other/a'].map(inside)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('the subject of an agent', () => {
  it('is bound to path, version and bytes, and shows the program', async () => {
    const file = writeProgram(tempFolder(), 'agent', 'x');
    const digest = await sha256OfFile(file);
    if (!digest.ok) throw new Error(digest.error.text);
    const base = {
      agent: 'practice',
      title: 'Practice',
      program: file,
      version: '1.0',
      digest: digest.value.digest,
      cwd: '/',
    };
    const digests = [
      base,
      { ...base, version: null },
      { ...base, program: `${file}2` },
      { ...base, digest: `sha256:${'0'.repeat(64)}` },
      { ...base, argv: [file, 'x'] },
      { ...base, files: [{ path: '/x', digest: 'd' }] },
    ].map((agent) => {
      const subject = agentProgramSubject(agent);
      return subject.ok ? subject.value.digest : subject.error.text;
    });
    expect(new Set(digests).size).toBe(6);
    expect(agentProgramSubject(base)).toMatchObject({
      value: {
        kind: 'agent-program',
        key: 'agent-program practice',
        argv: [file],
        program: file,
        title: 'Agent Practice 1.0',
      },
    });
  });
});

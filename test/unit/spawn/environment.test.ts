import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentEnvironment, hookEnvironment, hookPath } from '../../../electron/core/spawn/environment.js';

const marker = { runId: 'run_x' };
const plain = { profileEnvironment: {}, passThrough: [], marker };

describe('environment of an agent', () => {
  it('takes the allow-listed names and nothing else', () => {
    const { env } = agentEnvironment({
      ...plain,
      userEnv: {
        ...{ PATH: '/bin', HOME: '/home/me', LANG: 'C', LC_ALL: 'C', TERM: 'xterm', XDG_CONFIG_HOME: '/c' },
        ...{ SSH_AUTH_SOCK: '/s', DBUS_SESSION_BUS_ADDRESS: 'x', XDG_RUNTIME_DIR: '/r', SECRET_OF_MINE: '1' },
        ...{ NODE_OPTIONS: '-r x', LD_PRELOAD: 'x', ELECTRON_RUN_AS_NODE: '1', SALLYPORT_HOME: '/h' },
        ...{ AWS_SESSION_TOKEN: 'x' },
      },
    });
    expect(Object.keys(env).sort()).toEqual(
      ['HOME', 'LANG', 'LC_ALL', 'NO_PROXY', 'PATH', 'SALLYPORT_RUN', 'TERM', 'XDG_CONFIG_HOME', 'no_proxy'].sort(),
    );
    expect(env['SALLYPORT_RUN']).toBe('run_x');
  });

  it('adds pass-through and profile, the profile winning, and names what it refuses', () => {
    const { env, refused } = agentEnvironment({
      userEnv: { A: 'user', B: 'user', LD_PRELOAD: 'x', PATH: '/bin' },
      profileEnvironment: { B: 'profile', NODE_OPTIONS: '-r evil', SALLYPORT_RUN: 'other', electron_run_as_node: '1' },
      passThrough: ['A', 'B', 'LD_PRELOAD', 'ABSENT'],
      marker,
    });
    expect(env).toMatchObject({ A: 'user', B: 'profile', SALLYPORT_RUN: 'run_x' });
    expect(Object.keys(env)).not.toContain('LD_PRELOAD');
    expect(Object.keys(env)).not.toContain('ABSENT');
    expect([...refused].sort()).toEqual(['LD_PRELOAD', 'NODE_OPTIONS', 'SALLYPORT_RUN', 'electron_run_as_node']);
  });

  it('puts the login PATH before that of the process', () => {
    expect(agentEnvironment({ ...plain, userEnv: { PATH: '/a' }, path: '/b' }).env['PATH']).toBe('/b');
  });

  it.each([
    [{}, '127.0.0.1,localhost'],
    [{ NO_PROXY: 'corp.example' }, 'corp.example,127.0.0.1,localhost'],
    [{ NO_PROXY: 'a, b', no_proxy: 'b,c' }, 'a,b,c,127.0.0.1,localhost'],
    [{ no_proxy: 'localhost' }, 'localhost,127.0.0.1'],
  ])('merges loopback into both spellings of NO_PROXY: %j', (userEnv, merged) => {
    const { env } = agentEnvironment({ ...plain, userEnv });
    expect([env['NO_PROXY'], env['no_proxy']]).toEqual([merged, merged]);
  });

  it('never lets a loader variable through, whatever the source', () => {
    const loader = fc.constantFrom(
      'LD_PRELOAD',
      'LD_X',
      'DYLD_INSERT_LIBRARIES',
      'ELECTRON_RUN_AS_NODE',
      'NODE_OPTIONS',
      'BASH_ENV',
      'SALLYPORT_HOME',
    );
    fc.assert(
      fc.property(fc.array(loader), fc.array(loader), fc.array(loader), (user, profile, pass) => {
        const asEnv = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 'x']));
        const { env } = agentEnvironment({
          userEnv: asEnv(user),
          profileEnvironment: asEnv(profile),
          passThrough: pass,
          marker,
        });
        expect(Object.keys(env).sort()).toEqual(['NO_PROXY', 'SALLYPORT_RUN', 'no_proxy']);
      }),
    );
  });
});

describe('environment of a hook handler', () => {
  const about = {
    ...{ point: 'tool.before', hookId: 'guard', eventId: 'hookevt_1', runId: 'run_x', sessionId: null },
    ...{ depth: 1, workspace: '/ws' },
  };

  it('is the minimal base, the declared values and the facts of the event', () => {
    const { env, hygiene } = hookEnvironment({
      ...about,
      userEnv: {
        PATH: '/usr/bin:.:/bin',
        HOME: '/h',
        TERM: 'xterm',
        XDG_CONFIG_HOME: '/c',
        HTTP_PROXY: 'x',
        LC_TIME: 'C',
      },
      declared: { MODE: 'strict', HOME: '/elsewhere' },
    });
    expect(env).toEqual({
      ...{ PATH: '/usr/bin:/bin', HOME: '/elsewhere', LC_TIME: 'C', MODE: 'strict' },
      ...{ SALLYPORT_HOOK_POINT: 'tool.before', SALLYPORT_HOOK_ID: 'guard', SALLYPORT_HOOK_EVENT_ID: 'hookevt_1' },
      ...{ SALLYPORT_HOOK_RUN_ID: 'run_x', SALLYPORT_HOOK_SESSION_ID: '', SALLYPORT_HOOK_DEPTH: '1' },
      SALLYPORT_WORKSPACE: '/ws',
    });
    expect(hygiene).toEqual({ removed: 1, kinds: ['dot'] });
  });

  it('cleans a PATH that the hook itself declares', () => {
    expect(hookEnvironment({ ...about, userEnv: { PATH: '/bin' }, declared: { PATH: '/ws:/opt' } }).env['PATH']).toBe(
      '/opt',
    );
  });

  it('has no PATH rather than an empty one', () => {
    expect(hookEnvironment({ ...about, userEnv: { PATH: '.' }, declared: {} }).env).not.toHaveProperty('PATH');
    expect(hookPath({ userEnv: {}, declared: {}, workspace: '/ws' })).toEqual({ path: null, removed: 0, kinds: [] });
  });
});

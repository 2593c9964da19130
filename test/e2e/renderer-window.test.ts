/** What a person does in the window: find, watch, launch, stop, revoke, change; by mouse and by keyboard alone. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { manyRuns, recorded, type FakeBridge } from '../support/fake-bridge.js';
import { HARD_PLAN } from '../support/hard-views.js';
import { pages } from '../support/pages.js';

const open = pages();
const { live } = recorded();
const done = recorded()['runs.show'];
const now = () => Date.now() / 1_000;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first();
const alerts = (page: Page) => page.getByRole('alert').filter({ hasText: /./ });

describe('the list of runs', () => {
  const many = (bridge: FakeBridge) => {
    bridge.on['runs.list'] = () => manyRuns(10_000, now());
  };
  it('holds 10,000 of them with few rows on the page, and is walked by keyboard', async () => {
    const { page, bridge } = await open({ with: many });
    await page.getByText('10000 runs').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.getByRole('row').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.getByText('(9999)').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
    await page.keyboard.press('Enter');
    await expect.poll(() => bridge.last('runs.show')).toEqual({ runId: manyRuns(10_000, 0)[9_999]?.id });
  });

  it('is searched and narrowed, says how many fit, and offers the way back', async () => {
    const { page } = await open({ with: many });
    await page.getByText('10000 runs').waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('parser');
    await page.getByText('2500 of 10000 runs').waitFor();
    await page.getByLabel('Show').selectOption({ label: 'Red' });
    await page.getByText('1000 of 10000 runs').waitFor();
    await page.getByRole('searchbox').fill('no such thing');
    await heading(page, 'No run fits').waitFor();
    await button(page, 'Show all runs').click();
    await page.getByText('10000 runs').waitFor();
  });

  it('is told of new and changed runs', async () => {
    const { page, bridge } = await open();
    await page.getByText('1 run', { exact: true }).waitFor();
    await bridge.tell('runs.changed', { ...live.summary, id: 'run_new', createdAt: now() });
    await page.getByRole('row', { name: /Live, waiting for you/ }).waitFor();
    await bridge.tell('runs.changed', {
      ...{ ...live.summary, id: 'run_new', createdAt: now(), phase: 'done', outcome: 'failed' },
      ...{ colour: 'red', waiting: 0, why: ['the agent failed'] },
    });
    await page.getByRole('row', { name: /Red, failed/ }).waitFor();
  });
});

describe('a live run', () => {
  const watched = (bridge: FakeBridge) => {
    bridge.on['runs.list'] = () => [live.summary];
    bridge.on['runs.show'] = () => live;
  };
  it('shows what happens as it happens, and reads its record when it ends', async () => {
    const { page, bridge } = await open({ with: watched });
    await page.getByRole('row').first().click();
    await page.getByText('Waits for you').waitFor();
    await bridge.tell('runs.events', {
      runId: live.summary.id,
      events: [{ at: now(), kind: 'agent', event: { kind: 'message', text: 'Here is \u202enews.' } }],
    });
    await page.getByText('Here is \\u{202e}news.').waitFor();
    await bridge.tell('runs.events', { runId: 'run_other', events: [{ at: now(), kind: 'notice', text: 'not mine' }] });
    expect(await page.getByText('not mine').count()).toBe(0);
    bridge.on['runs.show'] = () => done;
    await bridge.tell('runs.changed', done.summary);
    await page.getByText('Why it is green').waitFor();
    await page.getByRole('tab', { name: 'Facts' }).click();
    await page.getByText('1 granted, 0 denied').waitFor();
    expect(await button(page, 'Stop').count()).toBe(0);
  });

  it('is stopped after a second word', async () => {
    const { page, bridge } = await open({ with: watched });
    await page.getByRole('row').first().click();
    await button(page, 'Stop').click();
    await button(page, 'Cancel').click();
    expect(bridge.last('runs.stop')).toBeUndefined();
    await button(page, 'Stop').click();
    await button(page, 'Stop the run').click();
    await expect.poll(() => bridge.last('runs.stop')).toEqual({ runId: live.summary.id });
    await page.getByText('The run is being stopped').waitFor();
  });

  it('says when it could not be stopped', async () => {
    const { page, bridge } = await open({ with: watched });
    bridge.on['runs.stop'] = () => ({ ok: false, text: 'This run has ended already.' });
    await page.getByRole('row').first().click();
    await button(page, 'Stop').click();
    await button(page, 'Stop the run').click();
    await alerts(page).getByText('has ended already').waitFor();
  });

  it('gives ids and digests to the clipboard whole', async () => {
    const { page, bridge } = await open();
    await page.getByRole('row').first().click();
    await page.getByRole('tab', { name: 'Facts' }).click();
    await button(page, 'Copy run id').click();
    await expect.poll(() => bridge.last('clipboard.write')).toEqual({ text: done.record.id });
    await button(page, 'Copy program digest').click();
    await expect.poll(() => bridge.last('clipboard.write')).toEqual({ text: done.record.agentProgramDigest });
  });

  it('reads its raw output piece by piece', async () => {
    const { page, bridge } = await open();
    bridge.on['runs.raw'] = ({ offset }) =>
      offset === 0 ? { text: 'first\n', next: 6 } : { text: 'second\n', next: null };
    await page.getByRole('row').first().click();
    await page.getByRole('tab', { name: 'Error output' }).click();
    await page.getByText('first').waitFor();
    expect(bridge.last('runs.raw')).toEqual({ runId: done.summary.id, stream: 'stderr', offset: 0 });
    await button(page, 'Read more').click();
    await page.getByText('second').waitFor();
    expect(await button(page, 'Read more').count()).toBe(0);
  });
});

describe('a new run', () => {
  it('goes from the first steps to a launched practice run; nothing is installed or started without a click', async () => {
    const { page, bridge } = await open({
      with: (fake) => {
        const info = fake.on['app.info'];
        fake.on['app.info'] = async () => ({ ...(await info(null)), firstStart: true });
      },
    });
    await button(page, 'Install the starter policy').waitFor();
    expect(bridge.last('app.installStarterPolicy')).toBeUndefined();
    const policy = await bridge.on['app.starterPolicy'](null);
    bridge.on['app.starterPolicy'] = () => ({ ...policy, installed: true });
    await button(page, 'Install the starter policy').click();
    await page.getByText('Installed', { exact: true }).waitFor();
    await button(page, 'Prepare a practice run').click();
    await button(page, 'Show the plan').click();
    await heading(page, 'Plan').waitFor();
    expect(bridge.last('runs.launch')).toBeUndefined();
    await button(page, 'Launch').click();
    const workspace = await bridge.on['workspaces.practice'](null);
    await expect
      .poll(() => bridge.last('runs.launch'))
      .toEqual({
        ...{ profile: 'practice', workspaceId: workspace.id, prompt: 'Set the project up.' },
        ...{ bypass: 'none', acceptGaps: false, workspaceConfig: 'exclude' },
      });
    await page.getByText('Why it is green').waitFor();
  });

  it('lets no plan stand for another input', async () => {
    const { page } = await open();
    await page.keyboard.press('Control+n');
    await button(page, 'New run').click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('One thing');
    await button(page, 'Show the plan').click();
    await button(page, 'Launch').waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('Another thing');
    expect(await button(page, 'Launch').count()).toBe(0);
    await button(page, 'Show the plan').waitFor();
  });

  it('starts with gaps only when they were accepted', async () => {
    const { page, bridge } = await open();
    bridge.on['runs.preflight'] = () => HARD_PLAN;
    await button(page, 'New run').click();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('One thing');
    await button(page, 'Show the plan').click();
    expect(await button(page, 'Launch').isDisabled()).toBe(true);
    await page.getByLabel('Run without what is named as a gap').check();
    await button(page, 'Launch').click();
    await expect.poll(() => bridge.last('runs.launch')?.acceptGaps).toBe(true);
  });

  it('says what is missing, and what went wrong', async () => {
    const { page, bridge } = await open({
      with: (fake) => {
        fake.on['workspaces.recent'] = () => [];
      },
    });
    bridge.on['runs.launch'] = () => ({ ok: false, text: '8 runs are live. Wait until one has ended.' });
    await button(page, 'New run').click();
    await page.getByText('Choose a workspace first.').waitFor();
    bridge.on['workspaces.pick'] = () => ({ id: 'ws_1', path: '/home/ada/projects/new' });
    await button(page, 'Choose a folder…').click();
    await page.getByText('Write a prompt first.').waitFor();
    await page.getByRole('textbox', { name: 'Prompt' }).fill('One thing');
    await button(page, 'Show the plan').click();
    await button(page, 'Launch').click();
    await alerts(page).getByText('Wait until one has ended').waitFor();
    expect(bridge.last('runs.launch')?.workspaceId).toBe('ws_1');
  });
});

describe('approvals, settings, notices', () => {
  it('revokes after a second word', async () => {
    const { page, bridge } = await open();
    await button(page, /^Approvals/).click();
    await page.getByRole('button', { name: /^Revoke Hook/ }).click();
    await button(page, 'Cancel').click();
    expect(bridge.last('approvals.revoke')).toBeUndefined();
    await page.getByRole('button', { name: /^Revoke Hook/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    const record = recorded()['approvals.list']?.find((one) => one.kind === 'hook-argv');
    await expect
      .poll(() => bridge.last('approvals.revoke'))
      .toEqual({ kind: record?.kind, key: record?.key, digest: record?.digest });
  });

  it('keeps a setting at once, and takes it back when it was refused', async () => {
    const { page, bridge } = await open();
    await button(page, 'Settings').click();
    await page.getByLabel('Dark').check();
    await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(bridge.last('settings.set')?.theme).toBe('dark');
    bridge.on['settings.set'] = () => ({ ok: false, text: 'The disk is full.' });
    await page
      .getByLabel('Light')
      .check({ force: true })
      .catch(() => undefined);
    await alerts(page).getByText('The disk is full.').waitFor();
    expect(await page.getByLabel('Dark').isChecked()).toBe(true);
  });

  it('counts what waits, and goes where the app sends it', async () => {
    const { page, bridge } = await open();
    await heading(page, 'Runs').waitFor();
    await bridge.tell('prompts.changed', [recorded().trust]);
    await page.getByRole('button', { name: 'Approvals (1 item waiting for you)' }).waitFor();
    await bridge.tell('navigate', { to: 'approvals', id: recorded().trust.id });
    await button(page, 'Deny, leave inert').waitFor();
    await bridge.tell('navigate', { to: 'run', id: done.summary.id });
    await page.getByText('Why it is green').waitFor();
  });

  it('says why there is no tray, and asks for the keychain until it is known', async () => {
    let asked = 0;
    const { page } = await open({
      with: (fake) => {
        const info = fake.on['app.info'];
        fake.on['app.info'] = async () => {
          asked += 1;
          const state = asked < 3 ? 'starting' : 'locked';
          return {
            ...(await info(null)),
            noTray: 'nothing shows tray icons here.',
            keychain: { state, text: 'Unlock it.' },
          };
        };
      },
    });
    await page.getByText('There is no tray icon: nothing shows tray icons here.').waitFor();
    await page.getByText('Keychain: Unlock it.').waitFor();
    await button(page, /^Put away: Keychain/).click();
    expect(await page.getByText('Keychain: Unlock it.').count()).toBe(0);
  });

  it('says so when the app does not answer', async () => {
    const { page } = await open({
      with: (fake) => {
        fake.on['settings.get'] = () => {
          throw new Error('gone');
        };
      },
    });
    await alerts(page).getByText('main process gave no answer to "settings.get"').waitFor();
  });
});

describe('by keyboard alone', () => {
  /** Names of what Tab stops at, until it comes round. */
  const walk = async (page: Page): Promise<readonly string[]> => {
    const seen: string[] = [];
    for (let step = 0; step < 80; step += 1) {
      await page.keyboard.press('Tab');
      const at = (await page.evaluate(`(() => {
        const el = document.activeElement;
        if (el === null || el === document.body) return null;
        const style = getComputedStyle(el);
        const ring = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
        el.dataset.walked ??= String(document.querySelectorAll('[data-walked]').length);
        return el.dataset.walked + ' ' + el.tagName + ' ' + (el.getAttribute('aria-label') ?? el.textContent).slice(0, 40) + (ring ? '' : ' WITHOUT RING');
      })()`)) as string | null;
      if (at === null || seen.includes(at)) break;
      seen.push(at);
    }
    return seen;
  };

  it.each(['New run', 'Runs', 'Approvals', 'Registry', 'Doctor', 'Settings'])(
    'reaches every control of %s, with a visible ring',
    async (name) => {
      const { page } = await open();
      await button(page, name).click();
      await heading(page, name).waitFor();
      await expect.poll(() => page.getByText(/^(Reading|Looking)/).count()).toBe(0);
      await page.evaluate('document.activeElement.blur()');
      const seen = await walk(page);
      expect(seen.filter((one) => one.endsWith('WITHOUT RING'))).toEqual([]);
      const missed = await page.evaluate(`Array.from(
        document.querySelectorAll('button:enabled, select:enabled, textarea:enabled, input:enabled, summary'))
        .filter((el) => el.checkVisibility() && el.dataset.walked === undefined && el.type !== 'radio')
        .map((el) => el.outerHTML.slice(0, 120))`);
      expect(missed).toEqual([]);
      expect(seen.length).toBeGreaterThan(6);
    },
  );

  it('moves the focus to a page that was opened, and back', async () => {
    const { page } = await open();
    await heading(page, 'Runs').waitFor();
    await page.keyboard.press('Control+3');
    await heading(page, 'Registry').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Registry');
    await page.keyboard.press('Control+1');
    await page.getByRole('row').first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('Why it is green').waitFor();
    await page.keyboard.press('Escape');
    await heading(page, /^Runs$/).waitFor();
  });
});

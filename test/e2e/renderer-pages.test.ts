/** Every page in light and dark: it shows what it is told, axe-core finds nothing, and a picture is kept. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { FakeBridge } from '../support/fake-bridge.js';
import { manyRuns, recorded } from '../support/fake-bridge.js';
import { axeFindings, pages, picture, type OpenOptions } from '../support/pages.js';
import { CHANGED_TRUST, HARD_REGISTRY, HARD_PLAN, leakedRun, LONG_QUESTION } from '../support/hard-views.js';

const open = pages();
const now = () => Date.now() / 1_000;

interface Case {
  readonly name: string;
  readonly with?: (bridge: FakeBridge) => void;
  readonly options?: Omit<OpenOptions, 'with' | 'dark'>;
  /** From the opened window to what the picture is of; ends when that is there. */
  readonly steps: (page: Page) => Promise<void>;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();

/** Keys count once the window listens. */
const keys = async (page: Page, combination: string) => {
  await heading(page, 'Runs');
  await page.keyboard.press(combination);
};

const { trust, question, live } = recorded();
const waits = (bridge: FakeBridge) => {
  const at = now();
  bridge.on['prompts.list'] = () => [
    { ...trust, openedAt: at - 90 },
    { ...question, openedAt: at - 20, deniedAt: at + 580 },
  ];
};

const CASES: readonly Case[] = [
  {
    name: 'first-start',
    with: (bridge) => {
      const info = bridge.on['app.info'];
      bridge.on['app.info'] = async () => ({ ...(await info(null)), firstStart: true });
    },
    steps: (page) => heading(page, 'Welcome to Sallyport'),
  },
  {
    name: 'runs',
    with: (bridge) => {
      bridge.on['runs.list'] = () => [
        { ...live.summary, createdAt: now() - 20, workspace: '/home/ada/projects/shop' },
        ...manyRuns(60, now()),
      ];
    },
    steps: (page) => page.getByRole('row', { name: /Live, waiting for you/ }).waitFor(),
  },
  {
    name: 'runs-empty',
    with: (bridge) => {
      bridge.on['runs.list'] = () => [];
      const info = bridge.on['app.info'];
      bridge.on['app.info'] = async () => ({
        ...(await info(null)),
        noTray: 'no program on this desktop shows tray icons. Install one that does, or keep this window open.',
        keychain: {
          state: 'locked',
          text: 'The keyring is locked. Unlock it, then look again. Until then approvals are kept in memory only.',
        },
        receipts: { state: 'faulty', text: '2 receipts missing: 4, 5 of 5' },
      });
    },
    steps: (page) => heading(page, 'No run yet'),
  },
  {
    name: 'run-leaked',
    with: (bridge) => {
      bridge.on['runs.show'] = () => leakedRun();
      bridge.on['runs.list'] = () => [leakedRun().summary];
    },
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByText('Why it is red').waitFor();
      await page.getByText('Exit scan: leaked.').waitFor();
      await page.getByRole('tab', { name: 'Exit scan (3)' }).click();
      await page.getByText('known-value:DEPLOY_TOKEN').waitFor();
      await page.getByText('cannot be read (EACCES)').waitFor();
    },
  },
  {
    name: 'run-done',
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByText('Denied by no-secrets-files').waitFor();
    },
  },
  {
    name: 'run-live',
    with: (bridge) => {
      bridge.on['runs.list'] = () => [live.summary];
      bridge.on['runs.show'] = () => live;
    },
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByRole('button', { name: 'Stop' }).waitFor();
    },
  },
  {
    name: 'run-facts',
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByRole('tab', { name: 'Facts' }).click();
      await heading(page, 'Coverage');
    },
  },
  {
    name: 'run-receipt',
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByRole('tab', { name: 'Receipt' }).click();
      await page.getByText('7 of this installation').waitFor();
      await page.getByText('What it says, word for word').click();
      await press(page, 'Verify');
      await page.getByText('Verified.', { exact: true }).waitFor();
    },
  },
  {
    name: 'run-receipt-broken',
    with: (bridge) => {
      bridge.on['receipts.verify'] = () => ({
        verified: false,
        checks: [
          { state: 'good', text: 'signature holds (Ed25519, key sha256:91c0)' },
          { state: 'bad', text: 'artifact stdout.log differs' },
          { state: 'note', text: 'elsewhere in the chain: 2 receipts missing: 8, 9 of 9' },
        ],
      });
    },
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByRole('tab', { name: 'Receipt' }).click();
      await press(page, 'Verify');
      await page.getByText('Not verified.', { exact: true }).waitFor();
      await page.getByText('artifact stdout.log differs').waitFor();
    },
  },
  {
    name: 'run-receipt-unsigned',
    with: (bridge) => {
      const detail = recorded()['runs.show'];
      const why = 'There is no D-Bus session here, so the keychain cannot be reached (usual over SSH).';
      const receipt = { state: 'unsigned' as const, why, sequence: null, digest: `sha256:${'77ab'.repeat(16)}` };
      bridge.on['runs.show'] = () => ({
        ...detail,
        summary: {
          ...detail.summary,
          colour: 'amber',
          why: [`the receipt is not signed, so nothing vouches for it: ${why}`],
        },
        record: { ...detail.record, receipt },
      });
      const show = bridge.on['receipts.show'];
      bridge.on['receipts.show'] = async (request) => {
        const view = await show(request);
        return view === null ? null : { ...view, digest: receipt.digest, keyId: null };
      };
    },
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByRole('tab', { name: 'Receipt' }).click();
      await page.getByText('Not signed', { exact: true }).waitFor();
    },
  },
  {
    name: 'run-traces',
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByRole('tab', { name: /Traces/ }).click();
      await page.getByRole('cell', { name: 'session:no-secrets-files' }).first().waitFor();
    },
  },
  {
    name: 'run-output',
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await page.getByRole('tab', { name: 'Output', exact: true }).click();
      await page.getByText('"type"').first().waitFor();
    },
  },
  {
    name: 'stop-asked',
    with: (bridge) => {
      bridge.on['runs.list'] = () => [live.summary];
      bridge.on['runs.show'] = () => live;
    },
    steps: async (page) => {
      await page.getByRole('row').first().click();
      await press(page, 'Stop');
      await page.getByRole('alertdialog').waitFor();
    },
  },
  {
    name: 'new-run',
    steps: async (page) => {
      await press(page, 'New run');
      await page
        .getByRole('textbox', { name: 'Prompt' })
        .fill('Fix the flaky checkout test.\nRun it twenty times before you say so.');
    },
  },
  {
    name: 'new-run-plan',
    options: { height: 1_180 },
    with: (bridge) => {
      bridge.on['runs.preflight'] = () => HARD_PLAN;
    },
    steps: async (page) => {
      await press(page, 'New run');
      await page.getByRole('textbox', { name: 'Prompt' }).fill('Fix the flaky checkout test.');
      await press(page, 'Show the plan');
      await heading(page, 'Plan');
    },
  },
  {
    name: 'approvals',
    with: waits,
    steps: async (page) => {
      await keys(page, 'Control+2');
      await page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'approvals-open',
    with: waits,
    steps: async (page) => {
      await keys(page, 'Control+2');
      await page.getByRole('button', { name: /question about shell/ }).click();
      await page.getByRole('button', { name: 'Approve once' }).waitFor();
    },
  },
  {
    name: 'registry',
    with: (bridge) => {
      bridge.on['registry.show'] = () => HARD_REGISTRY;
    },
    steps: async (page) => {
      await keys(page, 'Control+3');
      await heading(page, /^Faults/);
    },
  },
  {
    name: 'registry-empty',
    with: (bridge) => {
      bridge.on['registry.show'] = () => ({ version: 'reg-0000000000000000', hooks: [], faults: [] });
    },
    steps: async (page) => {
      await keys(page, 'Control+3');
      await heading(page, 'No hook yet');
    },
  },
  {
    name: 'doctor',
    steps: async (page) => {
      await keys(page, 'Control+4');
      await heading(page, 'Keychain');
    },
  },
  {
    name: 'settings',
    steps: async (page) => {
      await keys(page, 'Control+5');
      await page.getByLabel('Default profile').waitFor();
      await page.getByRole('button', { name: 'Show the first steps again' }).waitFor();
    },
  },
  {
    name: 'prompt-trust',
    options: { prompt: trust.id, width: 600, height: 680 },
    with: waits,
    steps: (page) => page.getByRole('button', { name: 'Approve exactly this', disabled: false }).waitFor(),
  },
  {
    name: 'prompt-changed',
    options: { prompt: CHANGED_TRUST.id, width: 600, height: 760 },
    with: (bridge) => {
      bridge.on['prompts.list'] = () => [CHANGED_TRUST];
    },
    steps: (page) => page.getByRole('button', { name: 'Approve exactly this', disabled: false }).waitFor(),
  },
  {
    name: 'prompt-question',
    options: { prompt: LONG_QUESTION.id, width: 600, height: 680 },
    with: (bridge) => {
      bridge.on['prompts.list'] = () => [{ ...LONG_QUESTION, openedAt: now(), deniedAt: now() + 42 }];
    },
    steps: (page) => page.getByRole('button', { name: 'Approve once', disabled: false }).waitFor(),
  },
  {
    name: 'prompt-gone',
    options: { prompt: 'ask_gone', width: 600, height: 420 },
    steps: (page) => heading(page, 'This does not wait any more'),
  },
];

describe.each(CASES)('$name', ({ name, with: change, options = {}, steps }) => {
  it.each([{ dark: false }, { dark: true }])('is whole (dark: $dark)', async ({ dark }) => {
    const { page } = await open({ ...options, dark, ...(change === undefined ? {} : { with: change }) });
    await steps(page);
    await picture(page, `${name}-${dark ? 'dark' : 'light'}`);
    expect(await axeFindings(page)).toEqual([]);
  });
});

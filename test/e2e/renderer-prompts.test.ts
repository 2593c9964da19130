/** The prompt: no is where everything starts and ends; yes is exact, guarded, and never an accident. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { PromptView } from '../../shared/bridge/views.js';
import { recorded } from '../support/fake-bridge.js';
import { CHANGED_TRUST } from '../support/hard-views.js';
import { endGuard, pages, type OpenPage } from '../support/pages.js';

const open = pages();
const { trust, question } = recorded();
const now = () => Date.now() / 1_000;
const asked = { ...question, openedAt: now(), deniedAt: now() + 3_000 };

/** The small window of one prompt, whose guard ends only when the test says so. */
async function openPrompt(prompt: PromptView, others: readonly PromptView[] = []): Promise<OpenPage> {
  const opened = await open({
    ...{ prompt: prompt.id, width: 600, height: 680, holdGuard: true },
    with: (bridge) => {
      bridge.on['prompts.list'] = () => [prompt, ...others];
    },
  });
  await deny(opened.page).waitFor();
  return opened;
}

const deny = (page: Page) => page.getByRole('button', { name: /^Deny/ });
const approve = (page: Page) => page.getByRole('button', { name: /^Approve (exactly|once)/ });
const isFocused = (page: Page, name: RegExp) =>
  expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(name);

describe('the guard', () => {
  it('keeps yes off until its time is over, and starts on no', async () => {
    const { page, bridge } = await openPrompt(trust);
    await isFocused(page, /^Deny/);
    expect(await approve(page).isDisabled()).toBe(true);
    await approve(page).click({ force: true });
    await endGuard(page);
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    expect(bridge.last('prompts.answer')).toBeUndefined();
    await approve(page).click();
    await expect
      .poll(() => bridge.last('prompts.answer'))
      .toEqual({
        id: trust.id,
        shownDigest: trust.subject.digest,
        answer: { kind: 'approve' },
      });
  });

  it('takes no press that began while yes was off', async () => {
    const { page, bridge } = await openPrompt(asked);
    const box = await approve(page).boundingBox();
    if (box === null) throw new Error('Approve is not on the screen');
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await endGuard(page);
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    await page.mouse.up();
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => bridge.asked.filter((one) => one.name === 'prompts.answer')).toHaveLength(1);
  });

  it('never takes Enter for a yes, but takes the space bar', async () => {
    const { page, bridge } = await openPrompt(trust);
    await endGuard(page);
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    await approve(page).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    expect(bridge.last('prompts.answer')).toBeUndefined();
    await page.keyboard.press('Space');
    await expect.poll(() => bridge.last('prompts.answer')?.answer).toEqual({ kind: 'approve' });
  });

  it('goes up again when the content changes, and then answers the new content', async () => {
    const { page, bridge } = await openPrompt(trust);
    await endGuard(page);
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    await approve(page).focus();
    const changed = { ...trust, subject: { ...CHANGED_TRUST.subject, digest: `sha256:${'c'.repeat(64)}` } };
    await bridge.tell('prompts.changed', [changed]);
    await page.getByText('The content changed while it was shown').waitFor();
    expect(await approve(page).isDisabled()).toBe(true);
    await isFocused(page, /^Deny/);
    await endGuard(page);
    await approve(page).click();
    await expect.poll(() => bridge.last('prompts.answer')?.shownDigest).toBe(`sha256:${'c'.repeat(64)}`);
  });

  it('is not moved by another prompt that comes or goes', async () => {
    const { page, bridge } = await openPrompt(trust);
    await endGuard(page);
    await expect.poll(() => approve(page).isEnabled()).toBe(true);
    await bridge.tell('prompts.changed', [trust, asked]);
    await page.getByText('1 more waiting').waitFor();
    expect(await approve(page).isEnabled()).toBe(true);
  });
});

describe('no', () => {
  it('is what Escape means in a window of its own', async () => {
    const { page, bridge } = await openPrompt(trust);
    await page.keyboard.press('Escape');
    await expect.poll(() => bridge.last('prompts.answer')?.answer).toEqual({ kind: 'deny', message: '' });
  });

  it('is what Enter means where the focus starts', async () => {
    const { page, bridge } = await openPrompt(asked);
    await isFocused(page, /^Deny/);
    await page.keyboard.press('Enter');
    await expect.poll(() => bridge.last('prompts.answer')?.answer.kind).toBe('deny');
  });

  it('carries a message to the agent', async () => {
    const { page, bridge } = await openPrompt(asked);
    await page.getByRole('textbox').fill('  Use the staging server.\nNot this one. ');
    await deny(page).click();
    await expect
      .poll(() => bridge.last('prompts.answer')?.answer)
      .toEqual({ kind: 'deny', message: 'Use the staging server.\nNot this one.' });
  });

  it('is said by the app: what it answers is shown, and the prompt stays', async () => {
    const { page, bridge } = await openPrompt(trust);
    bridge.on['prompts.answer'] = () => ({ ok: false, text: 'What is asked about changed after it was shown.' });
    await endGuard(page);
    await approve(page).click();
    await page.getByRole('alert').getByText('changed after it was shown').waitFor();
    expect(await deny(page).isEnabled()).toBe(true);
  });
});

describe('what is shown', () => {
  it('offers a yes for the run only where a call is asked about', async () => {
    const { page, bridge } = await openPrompt(asked);
    await endGuard(page);
    await page.getByRole('button', { name: 'Approve for this run' }).click();
    await expect.poll(() => bridge.last('prompts.answer')?.answer).toEqual({ kind: 'approve-for-run' });
    const other = await openPrompt(trust);
    expect(await other.page.getByRole('button', { name: 'Approve for this run' }).count()).toBe(0);
  });

  it('holds each argument on a line of its own, with escapes for what lies to the eye', async () => {
    const { page } = await openPrompt(CHANGED_TRUST);
    const tokens = page.getByRole('list', { name: 'Arguments, one on each line' }).getByRole('listitem');
    expect(await tokens.count()).toBe(CHANGED_TRUST.subject.argv.length);
    expect(await tokens.nth(2).innerText()).toContain('--allow=\\u{202e}gnp.sh');
    expect(await tokens.nth(3).innerText()).toContain('look-alike letters');
    const text = (await page.evaluate('document.body.textContent')) as string;
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(text.replace(/\s/g, '')).toContain(CHANGED_TRUST.subject.digest);
    for (const file of CHANGED_TRUST.subject.files) expect(text.replace(/\s/g, '')).toContain(file.digest);
  });

  it('tells a screen reader of the time left at coarse steps only', async () => {
    const { page } = await openPrompt({ ...asked, deniedAt: now() + 200 });
    const timer = page.getByRole('timer');
    expect(await timer.getAttribute('aria-live')).toBe('off');
    expect(await timer.innerText()).toMatch(/Denied in 3:\d\d if nobody answers/);
    expect(await page.getByRole('status').filter({ hasText: 'left' }).allInnerTexts()).toEqual(['5 minutes left']);
  });

  it('says so when it does not wait any more', async () => {
    const { page, bridge } = await openPrompt(trust);
    await bridge.tell('prompts.changed', [asked]);
    await page.getByRole('heading', { name: 'This does not wait any more' }).waitFor();
  });
});

describe('in place', () => {
  it('opens from the list, and Escape goes back without an answer', async () => {
    const { page, bridge } = await open({
      with: (fake) => {
        fake.on['prompts.list'] = () => [trust, asked];
      },
    });
    await page.getByRole('button', { name: /^Approvals/ }).click();
    await page.getByRole('button', { name: /question about shell/ }).click();
    await isFocused(page, /^Deny/);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Waiting (2)' }).waitFor();
    expect(bridge.last('prompts.answer')).toBeUndefined();
  });
});

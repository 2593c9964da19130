import { useEffect, useState } from 'react';
import type { PromptView } from '../../../shared/bridge/views.js';
import { useApp } from '../../state/store.js';
import { Button } from '../../ui/button.js';
import { Empty, Loading, Problem } from '../../ui/kit.js';
import { classNames } from '../../ui/class-names.js';
import { PromptCard } from './prompt-card.js';
import styles from './prompt.module.css';

const cx = classNames(styles);

/** A small window for one prompt. The main process closes it when the prompt is gone; until then it says so. */
export function PromptWindow({ promptId }: { readonly promptId: string }) {
  const prompts = useApp((state) => state.prompts);
  const trouble = useApp((state) => state.trouble);
  const prompt = prompts?.find((one) => one.id === promptId);
  useTitle(prompt);
  return (
    <main className={cx('window')}>
      {trouble === null ? null : <Problem>{trouble}</Problem>}
      {prompts === null ? (
        trouble === null ? (
          <Loading what="what waits" />
        ) : null
      ) : prompt === undefined ? (
        <Gone />
      ) : (
        <PromptCard
          prompt={prompt}
          where="window"
          others={prompts.length - 1}
          onLeave={() => {
            window.close();
          }}
        />
      )}
    </main>
  );
}

function Gone() {
  return (
    <Empty
      alone
      title="This does not wait any more"
      actions={
        <Button
          autoFocus
          onClick={() => {
            window.close();
          }}
        >
          Close
        </Button>
      }
    >
      It was answered, was withdrawn, or its time ran out. No answer is a denial. What came of it stands in the run.
    </Empty>
  );
}

function useTitle(prompt: PromptView | undefined): void {
  const [before] = useState(document.title);
  const what = prompt === undefined ? before : prompt.kind === 'trust' ? 'Approve what may run?' : 'An agent asks';
  useEffect(() => {
    document.title = what === before ? before : `${what} – Sallyport`;
  }, [what, before]);
}

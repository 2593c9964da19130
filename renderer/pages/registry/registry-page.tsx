import { useState } from 'react';
import type { HookView, RegistryView } from '../../../shared/bridge/views.js';
import { SCOPES } from '../../../shared/contracts/vocabulary.js';
import { go } from '../../state/actions.js';
import { useApp } from '../../state/store.js';
import { useAnswer } from '../../state/use-answer.js';
import { count, hookTone, words } from '../../text/words.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { CompactSelect } from '../../ui/field.js';
import { Digest, Line, Tokens } from '../../ui/exact.js';
import { Empty, Facts, Loading, Page, Problem, Section, Sub, Tag } from '../../ui/kit.js';
import styles from './registry.module.css';

const cx = classNames(styles);
const GLOBAL_ONLY = '';

/** Every hook with its state and why, and what is wrong with the files that hold them. */
export function RegistryPage() {
  const agents = useApp((state) => state.agents) ?? [];
  const wanted = useApp((state) => state.settings?.defaultProfile ?? GLOBAL_ONLY);
  const [picked, setPicked] = useState<string | null>(null);
  const profile = picked ?? (agents.some((agent) => agent.profile === wanted) ? wanted : GLOBAL_ONLY);
  const { value, trouble, asking, again } = useAnswer('registry.show', {
    profile: profile === GLOBAL_ONLY ? null : profile,
  });
  return (
    <Page
      title="Registry"
      sub={value === null ? '' : count(value.hooks.length, 'hook')}
      actions={
        <div className={cx('actions')}>
          <CompactSelect
            label="Profile"
            value={profile}
            options={[
              { value: GLOBAL_ONLY, text: 'Global hooks only' },
              ...agents.map((agent) => ({ value: agent.profile, text: `Profile ${agent.profile}` })),
            ]}
            onChange={setPicked}
          />
          <Button disabled={asking} onClick={again}>
            Read again
          </Button>
        </div>
      }
    >
      {trouble === null ? null : <Problem>{trouble}</Problem>}
      {value === null ? trouble === null ? <Loading what="the registry" /> : null : <Shown view={value} />}
    </Page>
  );
}

function Shown({ view }: { readonly view: RegistryView }) {
  return (
    <>
      {view.faults.length === 0 ? null : <Faults faults={view.faults} />}
      {view.hooks.length === 0 ? (
        <Empty
          title="No hook yet"
          actions={
            <Button
              onClick={() => {
                go({ page: 'first-start', id: null });
              }}
            >
              Show the starter policy
            </Button>
          }
        >
          Without hooks every call passes the gate unjudged. Install the starter policy, or add hooks with{' '}
          <code>sallyport hook add</code>.
        </Empty>
      ) : null}
      {SCOPES.map((scope) => (
        <Scope key={scope} scope={scope} hooks={view.hooks.filter((hook) => hook.scope === scope)} />
      ))}
      {view.version === '' ? null : (
        <Section title="Registry version" aside="what a launch is compiled from">
          <Digest digest={view.version} what="Registry version" />
        </Section>
      )}
    </>
  );
}

function Faults({ faults }: { readonly faults: RegistryView['faults'] }) {
  return (
    <Section title={`Faults (${faults.length})`}>
      <Problem>
        A file has faults, so the last good form of it stays in force, or it counts for nothing if there was none. Mend
        the file; the next boundary reads it again.
      </Problem>
      <ul>
        {faults.map((fault, index) => (
          <li key={index} className={cx('fault')}>
            <code>
              <Line text={fault.file} />:{fault.line}:{fault.column}
            </code>
            <div>
              <Line text={fault.path === '' ? fault.message : `${fault.path}: ${fault.message}`} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Scope({ scope, hooks }: { readonly scope: string; readonly hooks: readonly HookView[] }) {
  if (hooks.length === 0) return null;
  return (
    <Section title={`${scope[0]?.toUpperCase() ?? ''}${scope.slice(1)} hooks (${hooks.length})`}>
      <ul>
        {hooks.map((hook) => (
          <HookItem key={`${hook.key} ${hook.state} ${hook.source ?? ''}`} hook={hook} />
        ))}
      </ul>
    </Section>
  );
}

function HookItem({ hook }: { readonly hook: HookView }) {
  return (
    <li className={cx('hook')}>
      <div className={cx('head')}>
        <Tag tone={hookTone(hook.state)}>{words(hook.state)}</Tag>
        <h3>
          <Line text={hook.name} />
        </h3>
        <code>
          <Line text={hook.id} />
        </code>
      </div>
      {hook.reason === '' ? null : (
        <p>
          <Line text={hook.reason} />
        </p>
      )}
      {hook.description === '' ? null : (
        <p>
          <Sub>
            <Line text={hook.description} />
          </Sub>
        </p>
      )}
      <div className={cx('facts')}>
        <Facts
          rows={[
            ['Point', `${hook.point}, ${hook.mode}, order ${hook.order}`],
            ['If it fails', words(hook.failurePolicy)],
            ['Handler', <Tokens key="handler" tokens={hook.handler} label={`Handler of ${hook.id}`} />],
            ['For', hook.scopeKey === null ? null : <Line key="for" text={hook.scopeKey} />],
            [
              'File',
              hook.source === null ? null : (
                <code key="file">
                  <Line text={hook.source} />
                </code>
              ),
            ],
          ]}
        />
      </div>
    </li>
  );
}

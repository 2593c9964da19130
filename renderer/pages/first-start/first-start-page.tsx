import { useState } from 'react';
import type { AgentView } from '../../../shared/bridge/views.js';
import { ask, tell } from '../../bridge.js';
import { changeDraft, endFirstStart, go, readAgents, toast } from '../../state/actions.js';
import { useApp } from '../../state/store.js';
import { useAnswer } from '../../state/use-answer.js';
import { Button } from '../../ui/button.js';
import { classNames } from '../../ui/class-names.js';
import { Line } from '../../ui/exact.js';
import { Loading, Page, Problem, Row, Section, Sub, Tag } from '../../ui/kit.js';
import { chooseWorkspace } from '../new-run/use-workspaces.js';
import styles from './first-start.module.css';

const cx = classNames(styles);
const PRACTICE = 'practice';

/** The first steps: what was found, a policy that is offered, a run that needs no account. Nothing is installed without a click. */
export function FirstStartPage() {
  return (
    <Page
      title="Welcome to Sallyport"
      sub="A gate that you own: agents run on your machine, and what they want to do passes your hooks."
      actions={<Done />}
    >
      <Agents />
      <StarterPolicy />
      <Practice />
    </Page>
  );
}

function Done() {
  const firstStart = useApp((state) => state.info?.firstStart ?? false);
  return (
    <Button
      onClick={() => {
        if (firstStart) void endFirstStart();
        go({ page: 'runs', id: null });
      }}
    >
      {firstStart ? 'Done' : 'Back to the runs'}
    </Button>
  );
}

function Agents() {
  const agents = useApp((state) => state.agents);
  const installed = agents?.some((agent) => agent.program !== null && agent.agent !== PRACTICE) ?? false;
  return (
    <Section title="1. Agents found">
      {agents === null ? <Loading what="the agents" /> : null}
      <ul>
        {(agents ?? []).map((agent) => (
          <AgentItem key={agent.profile} agent={agent} />
        ))}
      </ul>
      {agents === null || installed ? null : (
        <Problem tone="amber" actions={<Button onClick={() => void readAgents()}>Look again</Button>}>
          No coding agent was found on your login shell’s PATH. Install one and look again; until then the practice
          agent shows how all of this works.
        </Problem>
      )}
    </Section>
  );
}

function AgentItem({ agent }: { readonly agent: AgentView }) {
  return (
    <li className={cx('agent')}>
      <Tag tone={agent.program === null ? 'grey' : agent.measured ? 'green' : 'amber'}>
        {agent.program === null ? 'Not found' : agent.measured ? 'Found, measured' : 'Found, not measured'}
      </Tag>
      <span className={cx('text')}>
        <strong>
          <Line text={agent.title} />
        </strong>{' '}
        {agent.version ?? ''}
        <Sub>
          {agent.program === null || agent.agent === PRACTICE ? null : (
            <code>
              <Line text={agent.program} />
            </code>
          )}{' '}
          {agent.note === null ? null : <Line text={agent.note} />}
        </Sub>
      </span>
    </li>
  );
}

function StarterPolicy() {
  const { value, trouble, again } = useAnswer('app.starterPolicy', null);
  const [failed, setFailed] = useState<string | null>(null);
  const install = async () => {
    const done = await tell('app.installStarterPolicy', null);
    setFailed(done.ok ? null : done.error);
    if (done.ok) toast('done', 'The starter policy is installed');
    again();
  };
  return (
    <Section title="2. A policy to start with">
      {trouble === null ? null : <Problem>{trouble}</Problem>}
      {failed === null ? null : <Problem>{failed}</Problem>}
      {value === null ? (
        trouble === null ? (
          <Loading what="the starter policy" />
        ) : null
      ) : (
        <>
          <h3>{value.name}</h3>
          <p>{value.description}</p>
          <p>
            <Sub>{value.explanation}</Sub>
          </p>
          <div className={cx('act')}>
            {value.installed ? (
              <Row>
                <Tag tone="green">Installed</Tag>
                <Button
                  look="quiet"
                  onClick={() => {
                    go({ page: 'registry', id: null });
                  }}
                >
                  Show it in the registry
                </Button>
              </Row>
            ) : (
              <Button look="main" onClick={() => void install()}>
                Install the starter policy
              </Button>
            )}
          </div>
        </>
      )}
    </Section>
  );
}

function Practice() {
  const agent = useApp((state) => state.agents?.find((one) => one.agent === PRACTICE));
  const [trouble, setTrouble] = useState<string | null>(null);
  const prepare = async (profile: string) => {
    const workspace = await ask('workspaces.practice', null);
    if (!workspace.ok) {
      setTrouble(workspace.error);
      return;
    }
    chooseWorkspace(workspace.value);
    changeDraft({ profile, prompt: 'Set the project up.', bypass: 'none' });
    go({ page: 'new-run', id: null });
  };
  return (
    <Section title="3. A practice run">
      <p>
        The built-in practice agent follows a script in a fresh folder. It needs no account and no network. One of its
        calls is denied, and one waits for your approval; first you are asked about the program of a hook.
      </p>
      {trouble === null ? null : <Problem>{trouble}</Problem>}
      <div className={cx('act')}>
        <Button disabled={agent === undefined} onClick={() => void prepare(agent?.profile ?? PRACTICE)}>
          Prepare a practice run
        </Button>
      </div>
    </Section>
  );
}

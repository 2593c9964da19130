import { useEffect, useRef, useState } from 'react';
import type { AgentView, PreflightView, WorkspaceView } from '../../../shared/bridge/views.js';
import { ask } from '../../bridge.js';
import { changeDraft, openRun, readAgents, toast } from '../../state/actions.js';
import { draftProfile, type Draft } from '../../state/model.js';
import { useApp } from '../../state/store.js';
import { BYPASS_WORDS } from '../../text/words.js';
import { Button } from '../../ui/button.js';
import { ChoiceGroup, Select, TextArea } from '../../ui/field.js';
import { Empty, Loading, Page, Problem, Row, Sub } from '../../ui/kit.js';
import { Line } from '../../ui/exact.js';
import { Plan } from './plan.js';
import { useWorkspaces } from './use-workspaces.js';

const MAX_PROMPT = 200_000;

/** A run is put together, looked at as a plan, and launched: in this order. */
export function NewRunPage() {
  const agents = useApp((state) => state.agents);
  const profile = useApp(draftProfile);
  if (agents === null)
    return (
      <Page title="New run">
        <Loading what="the agents" />
      </Page>
    );
  const agent = agents.find((one) => one.profile === profile);
  if (agent === undefined)
    return (
      <Page title="New run">
        <Empty title="No agent" actions={<Button onClick={() => void readAgents()}>Look again</Button>}>
          No profile can be read. Doctor says what is amiss with the state folder.
        </Empty>
      </Page>
    );
  return <Form agents={agents} agent={agent} />;
}

function Form({ agents, agent }: { readonly agents: readonly AgentView[]; readonly agent: AgentView }) {
  const draft = useApp((state) => state.draft);
  const workspaces = useWorkspaces(draft.workspaceId);
  const input: Draft = {
    profile: agent.profile,
    workspaceId: workspaces.picked?.id ?? '',
    prompt: draft.prompt,
    bypass: agent.bypassLevels.includes(draft.bypass) ? draft.bypass : 'none',
    workspaceConfig: agent.takesWorkspaceConfig ? draft.workspaceConfig : 'exclude',
  };
  const preflight = usePreflight(input);
  const missing = missingIn(input);
  return (
    <Page title="New run" sub="Nothing starts before you have seen the plan and said Launch.">
      <AgentChoice agents={agents} agent={agent} />
      <WorkspaceChoice workspaces={workspaces} />
      <TextArea
        label="Prompt"
        hint="What the agent should do."
        value={draft.prompt}
        maxLength={MAX_PROMPT}
        onChange={(prompt) => {
          changeDraft({ prompt });
        }}
      />
      <Bypass agent={agent} value={input.bypass} />
      <WorkspaceConfig agent={agent} value={input.workspaceConfig} />
      <Row>
        <Button
          look={preflight.plan === null ? 'main' : 'plain'}
          disabled={missing !== null || preflight.busy}
          onClick={() => void preflight.look()}
        >
          {preflight.busy ? 'Looking…' : preflight.plan === null ? 'Show the plan' : 'Look again'}
        </Button>
        <Sub>{missing ?? ''}</Sub>
      </Row>
      {preflight.trouble === null ? null : <Problem>{preflight.trouble}</Problem>}
      {preflight.plan === null ? null : (
        <Plan plan={preflight.plan} busy={preflight.busy} onLaunch={(accept) => void preflight.launch(accept)} />
      )}
    </Page>
  );
}

function missingIn({ workspaceId, prompt }: Draft): string | null {
  if (workspaceId === '') return 'Choose a workspace first.';
  return prompt.trim() === '' ? 'Write a prompt first.' : null;
}

function AgentChoice({ agents, agent }: { readonly agents: readonly AgentView[]; readonly agent: AgentView }) {
  return (
    <Select
      label="Agent"
      value={agent.profile}
      options={agents.map((one) => ({
        value: one.profile,
        text: `${one.title}${one.version === null ? '' : ` ${one.version}`}${one.profile === one.agent ? '' : ` (profile ${one.profile})`}${one.program === null ? ' – not found' : ''}`,
      }))}
      onChange={(profile) => {
        changeDraft({ profile });
      }}
      hint={
        <>
          {agent.program === null ? null : (
            <code>
              <Line text={agent.program} />
            </code>
          )}
          {agent.note === null ? null : (
            <>
              {agent.program === null ? '' : ' – '}
              <Line text={agent.note} />
            </>
          )}
        </>
      }
    />
  );
}

function WorkspaceChoice({ workspaces }: { readonly workspaces: ReturnType<typeof useWorkspaces> }) {
  const { list, picked, trouble } = workspaces;
  return (
    <>
      <Select
        label="Workspace"
        value={picked?.id ?? ''}
        disabled={list.length === 0}
        options={list.length === 0 ? [{ value: '', text: 'No folder was used yet' }] : list.map(optionOf)}
        onChange={(workspaceId) => {
          changeDraft({ workspaceId });
        }}
        hint={
          <Row>
            <Button onClick={() => void workspaces.add('workspaces.pick')}>Choose a folder…</Button>
            <Button look="quiet" onClick={() => void workspaces.add('workspaces.practice')}>
              Make a fresh one for practice
            </Button>
          </Row>
        }
      />
      {trouble === null ? null : <Problem>{trouble}</Problem>}
    </>
  );
}

function optionOf({ id, path }: WorkspaceView) {
  return { value: id, text: path };
}

function Bypass({ agent, value }: { readonly agent: AgentView; readonly value: Draft['bypass'] }) {
  const levels = agent.bypassLevels.map((level) => {
    const { name, meaning } = BYPASS_WORDS[level];
    return { value: level, name, meaning };
  });
  if (levels.length < 2) return null;
  return (
    <ChoiceGroup
      label="Bypass of the agent's own prompts"
      value={value}
      options={levels}
      hint="Your hooks apply at every level."
      onChange={(bypass) => {
        changeDraft({ bypass });
      }}
    />
  );
}

const CONFIG_CHOICES = [
  {
    value: 'exclude',
    name: 'Left out',
    meaning:
      'The agent starts without the settings, hooks, servers, skills and instructions that the workspace brings.',
  },
  {
    value: 'approve',
    name: 'Ask me',
    meaning: 'You are shown every file of it before the agent starts; what you approve is taken in as it is.',
  },
] as const;

function WorkspaceConfig({ agent, value }: { readonly agent: AgentView; readonly value: Draft['workspaceConfig'] }) {
  if (!agent.takesWorkspaceConfig) return null;
  return (
    <ChoiceGroup
      label="The workspace's own configuration of the agent"
      value={value}
      options={CONFIG_CHOICES}
      hint="A repository's own hooks can change a call after yours judged it."
      onChange={(workspaceConfig) => {
        changeDraft({ workspaceConfig });
      }}
    />
  );
}

/** The plan of exactly this input; any change of the input makes it void. */
function usePreflight(input: Draft) {
  const key = JSON.stringify(input);
  const [found, setFound] = useState<{ readonly key: string; readonly plan: PreflightView } | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const latest = useRef(key);
  useEffect(() => {
    latest.current = key;
    setTrouble(null);
  }, [key]);

  const look = async () => {
    setBusy(true);
    const answer = await ask('runs.preflight', { ...input, acceptGaps: false });
    setBusy(false);
    if (latest.current !== key) return;
    setTrouble(answer.ok ? null : answer.error);
    if (answer.ok) setFound({ key, plan: answer.value });
  };
  const launch = async (acceptGaps: boolean) => {
    setBusy(true);
    const answer = await ask('runs.launch', { ...input, acceptGaps });
    setBusy(false);
    const launched = answer.ok ? answer.value : { ok: false as const, text: answer.error };
    if (!launched.ok) {
      setTrouble(launched.text);
      return;
    }
    changeDraft({ prompt: '' });
    toast('done', 'The run was launched');
    openRun(launched.runId);
  };
  return { plan: found?.key === key ? found.plan : null, trouble, busy, look, launch };
}

import { useState } from 'react';
import type { Settings } from '../../../shared/bridge/views.js';
import { changeSettings, go } from '../../state/actions.js';
import { useApp } from '../../state/store.js';
import { Button } from '../../ui/button.js';
import { Check, ChoiceGroup, Select } from '../../ui/field.js';
import { Loading, Page, Problem, Section } from '../../ui/kit.js';

const THEMES = [
  { value: 'system', name: 'As the system' },
  { value: 'light', name: 'Light' },
  { value: 'dark', name: 'Dark' },
] as const;

/** Each change is kept at once. */
export function SettingsPage() {
  const settings = useApp((state) => state.settings);
  return (
    <Page title="Settings" sub="Changes are kept at once.">
      {settings === null ? <Loading what="the settings" /> : <Form settings={settings} />}
    </Page>
  );
}

function Form({ settings }: { readonly settings: Settings }) {
  const agents = useApp((state) => state.agents) ?? [];
  const noTray = useApp((state) => state.info?.noTray ?? null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const change = (part: Partial<Settings>) => void changeSettings(part).then(setTrouble);
  const profiles = [...new Set([settings.defaultProfile, ...agents.map((agent) => agent.profile)])];
  return (
    <>
      {trouble === null ? null : <Problem>The change was not kept. {trouble}</Problem>}
      <ChoiceGroup
        label="Appearance"
        value={settings.theme}
        options={THEMES}
        onChange={(theme) => {
          change({ theme });
        }}
      />
      <Section title="Window">
        <Check
          name="Closing the window keeps Sallyport in the tray"
          meaning={
            noTray === null
              ? 'Runs go on. Quit is in the tray’s menu.'
              : 'There is no tray here, so closing the window quits whatever stands here.'
          }
          checked={settings.closeToTray}
          onChange={(closeToTray) => {
            change({ closeToTray });
          }}
        />
        <Check
          name="Notifications"
          meaning="When something waits for you, and when a run ends. Prompts appear in any case."
          checked={settings.notifications}
          onChange={(notifications) => {
            change({ notifications });
          }}
        />
      </Section>
      <Select
        label="Default profile"
        hint="What a new run starts with."
        value={settings.defaultProfile}
        options={profiles.map((value) => ({ value, text: value }))}
        onChange={(defaultProfile) => {
          change({ defaultProfile });
        }}
      />
      <Button
        onClick={() => {
          go({ page: 'first-start', id: null });
        }}
      >
        Show the first steps again
      </Button>
    </>
  );
}

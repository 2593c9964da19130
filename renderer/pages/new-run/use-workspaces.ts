import { useEffect, useState } from 'react';
import type { WorkspaceView } from '../../../shared/bridge/views.js';
import { ask } from '../../bridge.js';
import { changeDraft } from '../../state/actions.js';

/** Folders that were chosen in this window, newest first; those for practice are in no list of recent ones. */
let chosen: readonly WorkspaceView[] = [];

/** Makes a folder the one that the next run uses. */
export function chooseWorkspace(workspace: WorkspaceView): void {
  chosen = withoutDoubles([workspace, ...chosen]);
  changeDraft({ workspaceId: workspace.id });
}

/** Folders that may be chosen, and the one that is. A page names them by the ids that it was given. */
export function useWorkspaces(pickedId: string) {
  const [recent, setRecent] = useState<readonly WorkspaceView[]>([]);
  const [trouble, setTrouble] = useState<string | null>(null);

  useEffect(() => {
    let current = true;
    void ask('workspaces.recent', null).then((answer) => {
      if (!current) return;
      if (answer.ok) setRecent(answer.value);
      else setTrouble(answer.error);
    });
    return () => {
      current = false;
    };
  }, []);

  const add = async (how: 'workspaces.pick' | 'workspaces.practice') => {
    const answer = await ask(how, null);
    setTrouble(answer.ok ? null : answer.error);
    // Null when the system's dialog was cancelled.
    if (answer.ok && answer.value !== null) chooseWorkspace(answer.value);
  };
  const list = withoutDoubles([...chosen, ...recent]);
  return { list, picked: list.find((one) => one.id === pickedId) ?? list[0] ?? null, trouble, add };
}

function withoutDoubles(list: readonly WorkspaceView[]): readonly WorkspaceView[] {
  return list.filter((one, index) => list.findIndex((other) => other.id === one.id) === index);
}

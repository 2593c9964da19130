import { Empty } from '../ui/kit.js';

/** A window that cannot show anything. */
export function Broken({ text }: { readonly text: string }) {
  return (
    <main>
      <Empty alone title="Nothing to show">
        {text}
      </Empty>
    </main>
  );
}

/** The small parts that every page is made of. */
import { useEffect, useRef, type ReactNode } from 'react';
import type { Tone } from '../text/words.js';
import { classNames } from './class-names.js';
import styles from './kit.module.css';

const cx = classNames(styles);

/** Text for screen readers only. */
export function Hidden({ children }: { readonly children: ReactNode }) {
  return <span className={cx('hidden')}>{children}</span>;
}

interface PageProps {
  readonly title: ReactNode;
  readonly sub?: ReactNode;
  readonly actions?: ReactNode;
  /** The page scrolls in itself, as a list does. */
  readonly bare?: boolean;
  readonly children: ReactNode;
}

/** Longest title of a window, in characters. */
const LONGEST_TITLE = 80;

/** A page: a heading that takes the focus when the page opens and names the window, its actions, and a body that scrolls. */
export function Page({ title, sub, actions, bare = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${heading.current?.textContent.slice(0, LONGEST_TITLE) ?? ''} – Sallyport`;
  }, [title]);
  return (
    <div className={cx('page')}>
      <header className={cx('head')}>
        <div className={cx('headText')}>
          <h1 ref={heading} tabIndex={-1} data-page-heading>
            {title}
          </h1>
          {sub === undefined ? null : <div className={cx('sub')}>{sub}</div>}
        </div>
        {actions}
      </header>
      {bare ? (
        <div className={cx('bodyBare')}>{children}</div>
      ) : (
        // It scrolls, so it must be reachable by keyboard.
        <div className={cx('body')} tabIndex={0} role="region" aria-label="Content of the page">
          <div className={cx('column')}>{children}</div>
        </div>
      )}
    </div>
  );
}

export function Section({
  title,
  aside,
  children,
}: {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={cx('section')}>
      <div className={cx('sectionHead')}>
        <h2>{title}</h2>
        {aside === undefined ? null : <span className={cx('sub')}>{aside}</span>}
      </div>
      {children}
    </section>
  );
}

/** A coloured word; the colour never says more than the word. */
export function Tag({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={cx('tag', tone)}>{children}</span>;
}

interface ProblemProps {
  readonly tone?: 'red' | 'amber' | 'grey';
  /** The word that says how grave it is. */
  readonly word?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Something that went wrong or is worth knowing: what happened, what it means, what to do. Read out at once when it is grave. */
export function Problem({ tone = 'red', word, actions, children }: ProblemProps) {
  const said = word ?? (tone === 'red' ? 'Problem' : tone === 'amber' ? 'Note' : 'Info');
  return (
    <div className={cx('problem', tone)} role={tone === 'red' ? 'alert' : 'note'}>
      <span className={cx('problemWord')}>{said}</span>
      <div>{children}</div>
      {actions}
    </div>
  );
}

/** Nothing is here yet; says what to do next. */
export function Empty({
  title,
  children,
  actions,
  alone = false,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
  /** It is all that its window shows, so its heading is the window's. */
  readonly alone?: boolean;
}) {
  return (
    <div className={cx('empty')}>
      {alone ? <h1>{title}</h1> : <h2>{title}</h2>}
      <div>{children}</div>
      {actions === undefined ? null : <div className={cx('emptyActions')}>{actions}</div>}
    </div>
  );
}

/** Names and values; a value that is null is left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className={cx('facts')}>
      {rows
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <FactRow key={name} name={name} value={value} />
        ))}
    </dl>
  );
}

function FactRow({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className={cx('loading')} role="status">
      Reading {what}…
    </div>
  );
}

export function Row({ children }: { readonly children: ReactNode }) {
  return <div className={cx('row')}>{children}</div>;
}

export function Sub({ children }: { readonly children: ReactNode }) {
  return <span className={cx('sub')}>{children}</span>;
}

import { useEffect, useRef, useState, type MouseEvent, type RefObject } from 'react';

/** How long a yes cannot be given after its question, or a new content of it, appeared; in milliseconds. */
export const GUARD_MS = 800;

/**
 * True when a yes may be given to this content. It goes false at once when the content changes or the
 * window was out of sight, so that a click that was meant for something else approves nothing.
 */
export function useGuard(content: string): boolean {
  const [openFor, setOpenFor] = useState<string | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      clearTimeout(timer);
      setOpenFor(null);
      if (document.visibilityState !== 'visible') return;
      timer = setTimeout(() => {
        setOpenFor(content);
      }, GUARD_MS);
    };
    begin();
    document.addEventListener('visibilitychange', begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', begin);
    };
  }, [content]);
  return openFor === content;
}

/**
 * Handlers of a button that gives a yes: Enter never presses it, and a press that began while it was
 * off does not count when it ends after it went on.
 */
export function useGuardedPress(open: boolean, press: () => void) {
  const began: RefObject<boolean | null> = useRef(null);
  return {
    onPointerDown: () => {
      began.current = open;
    },
    onKeyDown: (event: { key: string; repeat: boolean; preventDefault: () => void }) => {
      if (event.key === 'Enter') event.preventDefault();
      else if (event.key === ' ' && !event.repeat) began.current = open;
    },
    onClick: (event: MouseEvent) => {
      const wasOpen = began.current;
      began.current = null;
      // A press by pointer has a beginning that was seen; one by assistive technology has none.
      const counts = event.detail > 0 ? wasOpen === true : wasOpen !== false;
      if (open && counts) press();
    },
  };
}

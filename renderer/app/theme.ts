import { useEffect } from 'react';
import { useApp } from '../state/store.js';

/** Light, dark, or as the system is. */
export function useTheme(): void {
  const theme = useApp((state) => state.settings?.theme ?? 'system');
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
  }, [theme]);
}

import type { ComponentPropsWithRef, ReactNode } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.js';

const cx = classNames(styles);

export type ButtonProps = Omit<ComponentPropsWithRef<'button'>, 'className' | 'type' | 'style'> & {
  /** `main`: the one thing to do next. `danger`: ends or removes something. `quiet`: no frame. */
  readonly look?: 'plain' | 'main' | 'danger' | 'quiet';
  readonly children: ReactNode;
};

export function Button({ look = 'plain', ...props }: ButtonProps) {
  return <button type="button" {...props} className={cx('button', look)} />;
}

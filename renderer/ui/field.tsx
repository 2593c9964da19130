/** Form parts with their names and hints tied together. Native controls: they look and work as the system's do. */
import { useId, type ReactNode, type RefObject } from 'react';
import { classNames } from './class-names.js';
import styles from './field.module.css';

const cx = classNames(styles);

interface Labelled {
  readonly label: string;
  readonly hint?: ReactNode;
}

interface SelectProps extends Labelled {
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
  readonly disabled?: boolean;
}

export function Select({ label, hint, value, options, onChange, disabled = false }: SelectProps) {
  const id = useId();
  return (
    <div className={cx('field')}>
      <label className={cx('label')} htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className={cx('control')}
        value={value}
        disabled={disabled}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      <div id={`${id}-hint`} className={cx('hint')}>
        {hint}
      </div>
    </div>
  );
}

interface TextProps extends Labelled {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly rows?: number;
  readonly maxLength?: number;
}

/** A text of several lines. */
export function TextArea({ label, hint, value, onChange, rows = 5, maxLength }: TextProps) {
  const id = useId();
  return (
    <div className={cx('field')}>
      <label className={cx('label')} htmlFor={id}>
        {label}
      </label>
      <textarea
        id={id}
        className={cx('control')}
        value={value}
        rows={rows}
        maxLength={maxLength}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
      <div id={`${id}-hint`} className={cx('hint')}>
        {hint}
      </div>
    </div>
  );
}

interface SearchProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

export function SearchField({ label, value, onChange, inputRef }: SearchProps) {
  return (
    <input
      ref={inputRef}
      type="search"
      className={cx('control')}
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    />
  );
}

/** A choice from a list, without a visible label of its own. */
export function CompactSelect({
  label,
  value,
  options,
  onChange,
}: Pick<SelectProps, 'label' | 'value' | 'options' | 'onChange'>) {
  return (
    <select
      className={cx('control')}
      aria-label={label}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.text}
        </option>
      ))}
    </select>
  );
}

interface ChoiceGroupProps<T extends string> extends Labelled {
  readonly value: T;
  readonly options: readonly { readonly value: T; readonly name: string; readonly meaning?: string }[];
  readonly onChange: (value: T) => void;
}

/** One of a few, each with what it means. */
export function ChoiceGroup<T extends string>({ label, hint, value, options, onChange }: ChoiceGroupProps<T>) {
  const name = useId();
  return (
    <fieldset className={cx('field')}>
      <legend className={cx('label')}>{label}</legend>
      {options.map((option) => (
        <Choice
          key={option.value}
          type="radio"
          group={name}
          name={option.name}
          meaning={option.meaning}
          checked={option.value === value}
          onChange={() => {
            onChange(option.value);
          }}
        />
      ))}
      {hint === undefined ? null : <div className={cx('hint')}>{hint}</div>}
    </fieldset>
  );
}

interface CheckProps {
  readonly name: string;
  readonly meaning?: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Check(props: CheckProps) {
  return <Choice type="checkbox" {...props} />;
}

interface ChoiceProps extends Omit<CheckProps, 'meaning'> {
  readonly type: 'radio' | 'checkbox';
  readonly group?: string;
  readonly meaning?: string | undefined;
}

/** A control with its name, and what it means as its description. */
function Choice({ type, group, name, meaning, checked, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className={cx('choice')}>
      <input
        id={id}
        type={type}
        name={group}
        checked={checked}
        aria-describedby={meaning === undefined ? undefined : `${id}-meaning`}
        onChange={(event) => {
          onChange(event.target.checked);
        }}
      />
      <div>
        <label htmlFor={id} className={cx('choiceName')}>
          {name}
        </label>
        {meaning === undefined ? null : (
          <span id={`${id}-meaning`} className={cx('choiceMeaning')}>
            {meaning}
          </span>
        )}
      </div>
    </div>
  );
}

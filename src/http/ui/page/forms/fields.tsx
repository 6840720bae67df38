import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Labelled {
  readonly label: string
  /** Shown below the field, and read with it. */
  readonly hint?: ComponentChildren
}

export interface TextFieldProps extends Labelled {
  readonly value: string
  set(value: string): void
  readonly type?: 'text' | 'search'
  readonly required?: boolean
  readonly readOnly?: boolean
  /** Values that are offered. */
  readonly known?: readonly string[] | undefined
}

export function TextField({ label, hint, value, set, type = 'text', known, ...more }: TextFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        autocomplete="off"
        spellcheck={false}
        list={known === undefined ? undefined : `${id}-known`}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={({ currentTarget }) => set(currentTarget.value)}
        {...more}
      />
      {known !== undefined && (
        <datalist id={`${id}-known`}>
          {known.slice(0, knownMax).map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}

const knownMax = 500

export interface AreaFieldProps extends Labelled {
  readonly value: string
  set(value: string): void
  readonly rows?: number
  readonly required?: boolean
}

export function AreaField({ label, hint, value, set, rows = 8, required = false }: AreaFieldProps) {
  const id = useId()
  return (
    <div class="field wide">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        required={required}
        spellcheck={false}
        value={value}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      {hint !== undefined && (
        <small id={`${id}-hint`} class="hint">
          {hint}
        </small>
      )}
    </div>
  )
}

export interface ChoiceFieldProps extends Labelled {
  readonly value: string
  set(value: string): void
  readonly options: readonly (readonly [value: string, text: string])[]
}

export function ChoiceField({ label, hint, value, set, options }: ChoiceFieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && <small class="hint">{hint}</small>}
    </div>
  )
}

export interface CheckFieldProps extends Labelled {
  readonly checked: boolean
  set(checked: boolean): void
}

export function CheckField({ label, checked, set }: CheckFieldProps) {
  return (
    <label class="check-field">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => set(currentTarget.checked)} /> {label}
    </label>
  )
}

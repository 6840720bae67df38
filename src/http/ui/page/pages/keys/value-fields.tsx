import { bytesToWrite, type EditedValue, jsonCheck, jsonParts } from '../../explain/value.ts'
import { AreaField } from '../../forms/fields.tsx'
import { keyWords as words } from '../../words/key-words.ts'

/** Longer texts are edited without colours: the browser would be busy with them at each key. */
const colouredMax = 50_000

export interface ValueFieldsProps {
  readonly value: EditedValue
  set(value: EditedValue): void
}

/** The editor of a value, which checks JSON, and shows it with colours. */
export function ValueFields({ value, set }: ValueFieldsProps) {
  const check = value.form === 'text' ? jsonCheck(value.text) : ({ kind: 'no-json' } as const)
  return (
    <>
      <AreaField
        label={value.form === 'text' ? words.value : words.valueBase64}
        value={value.text}
        set={(text) => set({ ...value, text })}
      />
      {check.kind === 'broken' && <p class="blocked wide">{words.jsonBroken(check.why)}</p>}
      {check.kind === 'json' && (
        <div class="wide">
          <p>
            {words.json}{' '}
            <button type="button" class="small" onClick={() => set({ ...value, text: check.formatted })}>
              {words.format}
            </button>
          </p>
          {check.formatted.length <= colouredMax && <ColouredJson text={check.formatted} />}
        </div>
      )}
    </>
  )
}

function ColouredJson({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long value is scrolled by keyboard
    <section class="json output" tabIndex={0} aria-label={words.preview}>
      <pre>
        {jsonParts(text).map(([kind, part], at) => (
          <span key={`${at} ${kind}`} class={kind}>
            {part}
          </span>
        ))}
      </pre>
    </section>
  )
}

/** Why it cannot be sent; undefined: it can. */
export function blockedOf(value: EditedValue, flags: string): string | undefined {
  if (!/^\d+$/.test(flags)) return words.flagsWrong
  return bytesToWrite(value) === undefined ? words.base64Wrong : undefined
}

import { keyPath } from '../../api/client.ts'
import type { KeyEntry } from '../../api/key-shapes.ts'
import { bytesToWrite, editedValue } from '../../explain/value.ts'
import { Result } from '../../forms/form.tsx'
import type { Act } from '../../forms/use-act.ts'
import { Facts } from '../../parts/facts.tsx'
import { keyWords as words } from '../../words/key-words.ts'

export interface GoneProps {
  readonly entry: KeyEntry
  /** Of the page, which says that the key was restored when it is there again. */
  readonly act: Act
}

/** A key that was deleted. What the tab has seen last can be written again, unless the key exists by then. */
export function Gone({ entry, act }: GoneProps) {
  const value = editedValue(entry.Value)
  const restore = (): void => {
    const query = { cas: '0', flags: String(entry.Flags) }
    const asked = { method: 'PUT', path: keyPath(entry.Key), query, body: bytesToWrite(value) } as const
    void act.sendCas(asked, words.restored(entry.Key))
  }
  return (
    <>
      <p role="status">
        {words.removed(entry.Key)} {words.restoreAbout}
      </p>
      <Facts
        rows={[
          [value.form === 'text' ? words.value : words.valueBase64, <pre key="value">{value.text}</pre>],
          [words.flags, String(entry.Flags)],
        ]}
      />
      <button type="button" disabled={act.busy} onClick={restore}>
        {words.restore}
      </button>
      <Result act={act} needs={words.needsWrite(entry.Key)} />
    </>
  )
}

import { keyPath } from '../../api/client.ts'
import type { KeyEntry } from '../../api/key-shapes.ts'
import { bytesToWrite, type EditedValue, editedValue } from '../../explain/value.ts'
import { TextField } from '../../forms/fields.tsx'
import { Confirm, Form } from '../../forms/form.tsx'
import { Meanwhile } from '../../forms/meanwhile.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useDraft } from '../../forms/use-draft.ts'
import { keyWords as words } from '../../words/key-words.ts'
import { removeQuestion, saveQuestion } from './questions.ts'
import { blockedOf, ValueFields } from './value-fields.tsx'

export interface KeyEditorProps {
  readonly entry: KeyEntry
  /** Reads the key once more: the answer of a write does not tell its index, which the next check-and-set needs. */
  reread(): Promise<void>
  /** The session that holds the key, in words; undefined: none does. */
  readonly holder: string | undefined
}

/** Edits a key by check-and-set: the write does nothing if the key has changed since it was read. */
export function KeyEditor({ entry, reread, holder }: KeyEditorProps) {
  const act = useAct()
  const draft = useDraft(words.value, entry, fieldsOf)
  const { base, typed } = draft
  const query = { cas: String(base.ModifyIndex) }
  const path = keyPath(entry.Key)
  const send = (): void => {
    const body = bytesToWrite(typed.value)
    const asked = { method: 'PUT', path, query: { ...query, flags: typed.flags }, body } as const
    void act.sendCas(asked, words.saved, () => {
      draft.written(typed)
      return reread()
    })
  }
  const remove = (): void => void act.sendCas({ method: 'DELETE', path, query }, words.removed(entry.Key))
  return (
    <Form
      title={words.value}
      act={act}
      needs={words.needsWrite(entry.Key)}
      submit={words.save}
      blocked={blockedOf(typed.value, typed.flags)}
      isOutdated={draft.isOutdated}
      question={saveQuestion(holder, editedValue(base.Value), typed.value)}
      send={send}
      others={
        <Confirm label={words.remove} question={removeQuestion(entry.Key, holder)} busy={act.busy} act={remove} />
      }
    >
      <ValueFields value={typed.value} set={(value) => draft.set({ value })} />
      <TextField label={words.flags} hint={words.flagsHint} value={typed.flags} set={(flags) => draft.set({ flags })} />
      <Meanwhile
        draft={draft}
        act={act}
        what={words.changedMeanwhile(entry.ModifyIndex)}
        present={editedValue(entry.Value).text}
      />
    </Form>
  )
}

function fieldsOf({ Value, Flags }: KeyEntry): { readonly value: EditedValue; readonly flags: string } {
  return { value: editedValue(Value), flags: String(Flags) }
}

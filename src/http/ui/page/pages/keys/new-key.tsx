import { keyPath } from '../../api/client.ts'
import { bytesToWrite } from '../../explain/value.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useNew } from '../../forms/use-draft.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { hrefOf } from '../../place/place.ts'
import { keyWords as words } from '../../words/key-words.ts'
import { blockedOf, ValueFields } from './value-fields.tsx'

/** Creates a key by check-and-set with index 0: one that exists is never written over. */
export function NewKey({ prefix }: { readonly prefix: string }) {
  const act = useAct()
  const { typed, set, made } = useNew(words.create, { name: prefix, text: '', flags: '0' })
  const { name, text, flags } = typed
  const value = { form: 'text', text } as const
  const [exists, setExists] = useOfCaller<string>()
  const send = async (): Promise<void> => {
    setExists(undefined)
    const asked = { method: 'PUT', path: keyPath(name), query: { cas: '0', flags }, body: bytesToWrite(value) } as const
    const answer = await act.sendCas(asked, words.created(name), () => made(typed))
    if (!answer.ok && answer.failure.kind === 'conflict') {
      act.clear()
      setExists(name)
    }
  }
  return (
    <Form
      title={words.create}
      act={act}
      needs={words.needsWrite(name)}
      submit={words.save}
      blocked={blockedOf(value, flags)}
      send={() => void send()}
    >
      <TextField label={words.name} hint={words.nameHint} value={name} set={(next) => set({ name: next })} required />
      <TextField label={words.flags} hint={words.flagsHint} value={flags} set={(next) => set({ flags: next })} />
      <ValueFields value={value} set={({ text: next }) => set({ text: next })} />
      {exists !== undefined && (
        <p class="problem" role="alert">
          {words.exists} <a href={hrefOf('keys', 'key', exists)}>{words.open}</a>
        </p>
      )}
    </Form>
  )
}

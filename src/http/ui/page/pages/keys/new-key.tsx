import { useState } from 'preact/hooks'
import { keyPath } from '../../api/client.ts'
import { bytesToWrite, type EditedValue } from '../../explain/value.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { hrefOf } from '../../place/place.ts'
import { keyWords as words } from '../../words/key-words.ts'
import { blockedOf, ValueFields } from './value-fields.tsx'

/** Creates a key by check-and-set with index 0: one that exists is never written over. */
export function NewKey({ prefix }: { readonly prefix: string }) {
  const act = useAct()
  const [name, setName] = useState(prefix)
  const [value, setValue] = useState<EditedValue>({ form: 'text', text: '' })
  const [flags, setFlags] = useState('0')
  const [exists, setExists] = useState<string>()
  const send = async (): Promise<void> => {
    setExists(undefined)
    const asked = { method: 'PUT', path: keyPath(name), query: { cas: '0', flags }, body: bytesToWrite(value) } as const
    const answer = await act.sendCas(asked, words.created(name))
    if (!answer.ok && answer.failure.kind === 'conflict') {
      act.clear()
      setExists(name)
    }
    if (!answer.ok) return
    setName(prefix)
    setValue({ form: 'text', text: '' })
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
      <TextField label={words.name} hint={words.nameHint} value={name} set={setName} required />
      <TextField label={words.flags} hint={words.flagsHint} value={flags} set={setFlags} />
      <ValueFields value={value} set={({ text }) => setValue({ form: 'text', text })} />
      {exists !== undefined && (
        <p class="problem" role="alert">
          {words.exists} <a href={hrefOf('keys', 'key', exists)}>{words.open}</a>
        </p>
      )}
    </Form>
  )
}

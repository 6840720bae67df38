import { useState } from 'preact/hooks'
import type { Policy, Token } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { accessWords as words } from '../../words/access-words.ts'

/** Makes a token, or changes one unless it has changed since it was read. */
export function TokenForm({ token }: { readonly token: Token | undefined }) {
  const act = useAct()
  const [description, setDescription] = useState(token?.Description ?? '')
  const [local, setLocal] = useState(token?.Local ?? false)
  const [chosen, setChosen] = useState<readonly string[]>((token?.Policies ?? []).map(({ ID }) => ID))
  const [made, setMade] = useState<Token>()
  const send = async (): Promise<void> => {
    const body = { Description: description, Local: local, Policies: chosen.map((ID) => ({ ID })) }
    if (token === undefined) {
      const answer = await act.send<Token>({ method: 'PUT', path: '/v1/acl/token', body }, '')
      return setMade(answer.ok ? answer.value : undefined)
    }
    const path = `/v1/acl/token${pathOf(token.AccessorID)}`
    const asked = { method: 'PUT', path, body: { ...body, AccessorID: token.AccessorID } } as const
    await act.sendUnchanged<Token>(path, (now) => now.Hash === token.Hash, asked, words.saved)
  }
  return (
    <Form
      title={token === undefined ? words.newToken : words.editToken}
      act={act}
      needs={words.needsWrite}
      submit={token === undefined ? words.create : words.save}
      send={() => void send()}
    >
      <TextField label={words.description} value={description} set={setDescription} />
      <PolicyChoice chosen={chosen} choose={setChosen} />
      {token === undefined && <CheckField label={words.localHint} checked={local} set={setLocal} />}
      {made !== undefined && (
        <div class="wide" role="status">
          <p>{words.createdToken}</p>
          <code>{made.SecretID}</code>
        </div>
      )}
    </Form>
  )
}

interface PolicyChoiceProps {
  readonly chosen: readonly string[]
  choose(ids: readonly string[]): void
}

function PolicyChoice({ chosen, choose }: PolicyChoiceProps) {
  const { value: policies } = useLive<readonly Policy[]>('/v1/acl/policies')
  if (policies === undefined || policies.length === 0) return <p>{words.noPolicies}</p>
  return (
    <fieldset class="wide">
      <legend>{words.policies}</legend>
      {policies.map(({ ID, Name }) => (
        <CheckField
          key={ID}
          label={Name}
          checked={chosen.includes(ID)}
          set={(checked) => choose(checked ? [...chosen, ID] : chosen.filter((each) => each !== ID))}
        />
      ))}
    </fieldset>
  )
}

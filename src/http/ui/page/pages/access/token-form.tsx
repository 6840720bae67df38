import type { Token } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { Meanwhile } from '../../forms/meanwhile.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useDraft, useNew } from '../../forms/use-draft.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Command } from '../../parts/command.tsx'
import { Secret } from '../../parts/copy-button.tsx'
import { hrefOf } from '../../place/place.ts'
import { accessWords as words } from '../../words/access-words.ts'
import { formWords } from '../../words/form-words.ts'
import { PolicyChoice } from './policy-choice.tsx'

interface TokenFields {
  readonly description: string
  readonly policies: readonly string[]
}

const none: TokenFields & { readonly local: boolean } = { description: '', policies: [], local: false }

export function NewToken() {
  const act = useAct()
  const { typed, set, made } = useNew(words.newToken, none)
  const [created, setCreated] = useOfCaller<Token>()
  const send = (): void => {
    setCreated(undefined)
    const body = { ...bodyOf(typed), Local: typed.local }
    void act.send<Token>({ method: 'PUT', path: '/v1/acl/token', body }, '', {
      written: (token) => {
        made(typed)
        setCreated(token)
      },
    })
  }
  return (
    <Form title={words.newToken} act={act} needs={words.needsWrite} submit={words.create} send={send}>
      <TextField label={words.description} value={typed.description} set={(description) => set({ description })} />
      <PolicyChoice chosen={typed.policies} choose={(policies) => set({ policies })} />
      <CheckField label={words.localHint} checked={typed.local} set={(local) => set({ local })} />
      {created !== undefined && (
        <div class="wide" role="status">
          <p>{words.createdToken(created.Description || created.AccessorID)}</p>
          <Secret text={created.SecretID} /> <a href={hrefOf('access', 'token', created.AccessorID)}>{words.token}</a>
          <p>{words.giveToAgent}</p>
          <Command line={withOperands(commandLine('acl set-agent-token'), 'agent', 'SECRET')} />
        </div>
      )}
    </Form>
  )
}

export interface TokenFormProps {
  readonly token: Token
  reread(): Promise<void>
}

/** Changes a token unless it has changed since it was read. */
export function TokenForm({ token, reread }: TokenFormProps) {
  const act = useAct()
  const draft = useDraft(words.editToken, token, fieldsOf)
  const { base, typed, set } = draft
  const send = (): void => {
    const path = `/v1/acl/token${pathOf(token.AccessorID)}`
    const body = { ...bodyOf(typed), Local: base.Local, AccessorID: token.AccessorID }
    const isSame = (now: Token): boolean => now.Hash === base.Hash
    void act.sendUnchanged<Token>(path, isSame, { method: 'PUT', path, body }, words.saved, () => {
      draft.written(typed)
      return reread()
    })
  }
  const names = (token.Policies ?? []).map(({ Name }) => Name).join(', ')
  return (
    <Form
      title={words.editToken}
      act={act}
      needs={words.needsWrite}
      submit={words.save}
      isOutdated={draft.isOutdated}
      send={send}
    >
      <TextField label={words.description} value={typed.description} set={(description) => set({ description })} />
      <PolicyChoice chosen={typed.policies} choose={(policies) => set({ policies })} />
      <Meanwhile
        draft={draft}
        act={act}
        what={formWords.changedMeanwhile}
        present={`${words.description}: ${token.Description}\n${words.policies}: ${names}`}
      />
    </Form>
  )
}

function fieldsOf({ Description, Policies }: Token): TokenFields {
  return { description: Description, policies: (Policies ?? []).map(({ ID }) => ID) }
}

function bodyOf({ description, policies }: TokenFields): object {
  return { Description: description, Policies: policies.map((ID) => ({ ID })) }
}

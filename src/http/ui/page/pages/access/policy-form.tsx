import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Policy } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { AreaField, ChoiceField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { Meanwhile } from '../../forms/meanwhile.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useDraft, useNew } from '../../forms/use-draft.ts'
import { accessWords as words } from '../../words/access-words.ts'
import { formWords } from '../../words/form-words.ts'
import { rulesFor, rulesRenamed } from './example-rules.ts'

interface PolicyFields {
  readonly name: string
  readonly description: string
  readonly rules: string
}

const none: PolicyFields = { name: '', description: '', rules: '' }

export function NewPolicy() {
  const act = useAct()
  const { typed, set, made } = useNew(words.newPolicy, none)
  const [example, setExample] = useState('')
  const begin = (chosen: string): void => {
    setExample(chosen)
    const rules = rulesFor(chosen, typed.name)
    if (rules !== undefined) set({ rules })
  }
  const change = (part: Partial<PolicyFields>): void => {
    const { name } = part
    set(name === undefined ? part : { name, rules: rulesRenamed(example, typed.rules, typed.name, name) })
  }
  const send = (): void => {
    const asked = { method: 'PUT', path: '/v1/acl/policy', body: bodyOf(typed) } as const
    const written = (): void => {
      made(typed)
      setExample('')
    }
    void act.send(asked, words.createdPolicy(typed.name), { written })
  }
  return (
    <Form title={words.newPolicy} act={act} needs={words.needsWrite} submit={words.create} send={send}>
      <Inputs typed={typed} set={change}>
        <ChoiceField
          label={words.rulesOf}
          hint={words.rulesOfHint}
          value={example}
          set={begin}
          options={words.examples}
        />
      </Inputs>
    </Form>
  )
}

export interface PolicyFormProps {
  readonly policy: Policy
  reread(): Promise<void>
}

/** Changes a policy unless it has changed since it was read. */
export function PolicyForm({ policy, reread }: PolicyFormProps) {
  const act = useAct()
  const draft = useDraft(words.editPolicy, policy, fieldsOf)
  const { base, typed, set } = draft
  const send = (): void => {
    const path = `/v1/acl/policy${pathOf(policy.ID)}`
    const body = { ...bodyOf(typed), Datacenters: base.Datacenters, ID: policy.ID }
    const isSame = (now: Policy): boolean => now.Hash === base.Hash
    void act.sendUnchanged<Policy>(path, isSame, { method: 'PUT', path, body }, words.saved, () => {
      draft.written(typed)
      return reread()
    })
  }
  return (
    <Form
      title={words.editPolicy}
      act={act}
      needs={words.needsWrite}
      submit={words.save}
      isOutdated={draft.isOutdated}
      send={send}
    >
      <Inputs typed={typed} set={set} />
      <Meanwhile
        draft={draft}
        act={act}
        what={formWords.changedMeanwhile}
        present={`${policy.Name}\n${policy.Description}\n${policy.Rules ?? ''}`}
      />
    </Form>
  )
}

interface InputsProps {
  readonly typed: PolicyFields
  set(change: Partial<PolicyFields>): void
  readonly children?: ComponentChildren
}

function Inputs({ typed, set, children }: InputsProps) {
  return (
    <>
      <TextField label={words.policyName} value={typed.name} set={(name) => set({ name })} required />
      <TextField label={words.description} value={typed.description} set={(description) => set({ description })} />
      {children}
      <AreaField label={words.rules} hint={words.rulesHint} value={typed.rules} set={(rules) => set({ rules })} />
    </>
  )
}

function fieldsOf({ Name, Description, Rules = '' }: Policy): PolicyFields {
  return { name: Name, description: Description, rules: Rules }
}

function bodyOf({ name, description, rules }: PolicyFields): object {
  return { Name: name, Description: description, Rules: rules }
}

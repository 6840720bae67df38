import { useState } from 'preact/hooks'
import type { Policy } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { AreaField, ChoiceField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { exampleRules, accessWords as words } from '../../words/access-words.ts'

/** Makes a policy, or changes one unless it has changed since it was read. */
export function PolicyForm({ policy }: { readonly policy: Policy | undefined }) {
  const act = useAct()
  const [name, setName] = useState(policy?.Name ?? '')
  const [description, setDescription] = useState(policy?.Description ?? '')
  const [rules, setRules] = useState(policy?.Rules ?? '')
  const [example, setExample] = useState('')
  const begin = (chosen: string): void => {
    setExample(chosen)
    setRules(exampleRules.get(chosen)?.replaceAll('NAME', name === '' ? 'NAME' : name) ?? rules)
  }
  const send = (): void => {
    const body = { Name: name, Description: description, Rules: rules, Datacenters: policy?.Datacenters ?? null }
    if (policy === undefined)
      return void act.send({ method: 'PUT', path: '/v1/acl/policy', body }, words.createdPolicy(name))
    const path = `/v1/acl/policy${pathOf(policy.ID)}`
    const asked = { method: 'PUT', path, body: { ...body, ID: policy.ID } } as const
    void act.sendUnchanged<Policy>(path, (now) => now.Hash === policy.Hash, asked, words.saved)
  }
  return (
    <Form
      title={policy === undefined ? words.newPolicy : words.editPolicy}
      act={act}
      needs={words.needsWrite}
      submit={policy === undefined ? words.create : words.save}
      send={send}
    >
      <TextField label={words.policyName} value={name} set={setName} required />
      <TextField label={words.description} value={description} set={setDescription} />
      {policy === undefined && (
        <ChoiceField label={words.rulesOf} value={example} set={begin} options={words.examples} />
      )}
      <AreaField label={words.rules} hint={words.rulesHint} value={rules} set={setRules} />
    </Form>
  )
}

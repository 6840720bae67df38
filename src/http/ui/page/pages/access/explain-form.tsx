import { useState } from 'preact/hooks'
import { resources } from '../../explain/rights.ts'
import { ChoiceField, TextField } from '../../forms/fields.tsx'
import { Explained } from '../../parts/explained.tsx'
import { accessWords as words } from '../../words/access-words.ts'

export function ExplainForm() {
  const [resource, setResource] = useState('service')
  const [right, setRight] = useState('read')
  const [name, setName] = useState('')
  const [accessor, setAccessor] = useState('')
  const rights = resource === 'key' ? ['read', 'list', 'write'] : ['read', 'write']
  const asked = `${resource}:${rights.includes(right) ? right : 'read'}${name === '' ? '' : ` ${name}`}`
  return (
    <section aria-labelledby="explain">
      <h2 id="explain">{words.explain}</h2>
      <p>{words.explainAbout}</p>
      <div class="fields">
        <ChoiceField
          label={words.resource}
          value={resource}
          set={setResource}
          options={resources.map((each) => [each, each])}
        />
        <ChoiceField label={words.right} value={right} set={setRight} options={rights.map((each) => [each, each])} />
        <TextField label={words.name} hint={words.nameHint} value={name} set={setName} />
        <TextField label={words.accessor} hint={words.accessorHint} value={accessor} set={setAccessor} />
      </div>
      <Explained key={`${asked} ${accessor}`} right={asked} accessor={accessor} />
    </section>
  )
}

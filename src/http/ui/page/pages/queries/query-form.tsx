import type { QueryDefinition } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { Confirm, Form } from '../../forms/form.tsx'
import { Meanwhile } from '../../forms/meanwhile.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useDraft, useNew } from '../../forms/use-draft.ts'
import { queryWords as words } from '../../words/access-words.ts'
import { formWords } from '../../words/form-words.ts'
import { bodyOf, queryDraft } from './query-draft.ts'
import { blockedOf, QueryInputs } from './query-inputs.tsx'

export function NewQuery() {
  const act = useAct()
  const { typed, set, made } = useNew(words.create, queryDraft(undefined))
  const send = (): void => {
    const asked = { method: 'POST', path: '/v1/query', body: bodyOf(undefined, typed) } as const
    void act.send(asked, words.created, { written: () => made(typed) })
  }
  return (
    <Form
      title={words.create}
      act={act}
      needs={words.needsWrite(typed.name)}
      submit={words.save}
      blocked={blockedOf(typed)}
      send={send}
    >
      <QueryInputs typed={typed} set={set} />
    </Form>
  )
}

export interface QueryFormProps {
  readonly query: QueryDefinition
  reread(): Promise<void>
}

/** Changes a query unless it has changed since it was read. What the form does not show stays as it is. */
export function QueryForm({ query, reread }: QueryFormProps) {
  const act = useAct()
  const draft = useDraft(words.edit, query, queryDraft)
  const { base, typed, set } = draft
  const path = `/v1/query${pathOf(query.ID)}`
  const send = (): void => {
    const isSame = ([now]: readonly QueryDefinition[]): boolean => now?.ModifyIndex === base.ModifyIndex
    const asked = { method: 'PUT', path, body: bodyOf(base, typed) } as const
    void act.sendUnchanged<readonly QueryDefinition[]>(path, isSame, asked, words.saved, () => {
      draft.written(typed)
      return reread()
    })
  }
  const remove = (): void => void act.send({ method: 'DELETE', path }, words.removed)
  return (
    <Form
      title={words.edit}
      act={act}
      needs={words.needsWrite(typed.name)}
      submit={words.save}
      blocked={blockedOf(typed)}
      isOutdated={draft.isOutdated}
      send={send}
      others={<Confirm label={words.remove} question={words.removeQuestion} busy={act.busy} act={remove} />}
    >
      <QueryInputs typed={typed} set={set} />
      <Meanwhile
        draft={draft}
        act={act}
        what={formWords.changedMeanwhile}
        present={JSON.stringify(queryDraft(query), null, 2)}
      />
    </Form>
  )
}

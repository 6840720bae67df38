import { useState } from 'preact/hooks'
import type { QueryDefinition } from '../../api/access-shapes.ts'
import type { ServiceSummary } from '../../api/catalog-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { Confirm, Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { queryWords as words } from '../../words/access-words.ts'
import { bodyOf, type QueryDraft, queryDraft } from './query-draft.ts'

/** Makes a query, or changes one unless it has changed since it was read. What it does not show stays as it is. */
export function QueryForm({ query }: { readonly query: QueryDefinition | undefined }) {
  const act = useAct()
  const [draft, setDraft] = useState(() => queryDraft(query))
  const { value: services } = useLive<readonly ServiceSummary[]>('/v1/internal/ui/services')
  const set = (change: Partial<QueryDraft>): void => setDraft({ ...draft, ...change })
  const send = (): void => {
    const body = bodyOf(query, draft)
    if (query === undefined) return void act.send({ method: 'POST', path: '/v1/query', body }, words.created)
    const path = `/v1/query${pathOf(query.ID)}`
    const isSame = ([now]: readonly QueryDefinition[]): boolean => now?.ModifyIndex === query.ModifyIndex
    void act.sendUnchanged<readonly QueryDefinition[]>(path, isSame, { method: 'PUT', path, body }, words.saved)
  }
  const remove = (): void => {
    if (query !== undefined) void act.send({ method: 'DELETE', path: `/v1/query${pathOf(query.ID)}` }, words.removed)
  }
  return (
    <Form
      title={query === undefined ? words.create : words.edit}
      act={act}
      needs={words.needsWrite(draft.name)}
      submit={words.save}
      blocked={/^\d*$/.test(draft.nearestN) ? undefined : words.nearestWrong}
      send={send}
      others={
        query !== undefined && (
          <Confirm label={words.remove} question={words.removeQuestion} busy={act.busy} act={remove} />
        )
      }
    >
      <TextField label={words.name} hint={words.nameHint} value={draft.name} set={(name) => set({ name })} />
      <TextField
        label={words.service}
        value={draft.service}
        set={(service) => set({ service })}
        required
        known={(services ?? []).map(({ Name }) => Name)}
      />
      <CheckField label={words.template} checked={draft.isTemplate} set={(isTemplate) => set({ isTemplate })} />
      <CheckField label={words.onlyPassing} checked={draft.onlyPassing} set={(onlyPassing) => set({ onlyPassing })} />
      <TextField label={words.tags} value={draft.tags} set={(tags) => set({ tags })} />
      <TextField label={words.near} hint={words.nearHint} value={draft.near} set={(near) => set({ near })} />
      <TextField label={words.nearestN} value={draft.nearestN} set={(nearestN) => set({ nearestN })} />
      <TextField label={words.datacenters} value={draft.datacenters} set={(datacenters) => set({ datacenters })} />
      <TextField label={words.ttl} value={draft.ttl} set={(ttl) => set({ ttl })} />
    </Form>
  )
}

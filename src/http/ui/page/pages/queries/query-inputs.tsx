import type { ServiceSummary } from '../../api/catalog-shapes.ts'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { useLive } from '../../live/use-live.ts'
import { queryWords as words } from '../../words/access-words.ts'
import type { QueryDraft } from './query-draft.ts'

export interface QueryInputsProps {
  readonly typed: QueryDraft
  set(change: Partial<QueryDraft>): void
}

export function QueryInputs({ typed, set }: QueryInputsProps) {
  const { value: services } = useLive<readonly ServiceSummary[]>('/v1/internal/ui/services')
  return (
    <>
      <TextField label={words.name} hint={words.nameHint} value={typed.name} set={(name) => set({ name })} />
      <TextField
        label={words.service}
        value={typed.service}
        set={(service) => set({ service })}
        required
        known={(services ?? []).map(({ Name }) => Name)}
      />
      <CheckField label={words.template} checked={typed.isTemplate} set={(isTemplate) => set({ isTemplate })} />
      <CheckField label={words.onlyPassing} checked={typed.onlyPassing} set={(onlyPassing) => set({ onlyPassing })} />
      <TextField label={words.tags} value={typed.tags} set={(tags) => set({ tags })} />
      <TextField label={words.near} hint={words.nearHint} value={typed.near} set={(near) => set({ near })} />
      <TextField label={words.nearestN} value={typed.nearestN} set={(nearestN) => set({ nearestN })} />
      <TextField label={words.datacenters} value={typed.datacenters} set={(datacenters) => set({ datacenters })} />
      <TextField label={words.ttl} value={typed.ttl} set={(ttl) => set({ ttl })} />
    </>
  )
}

/** Why it cannot be sent; undefined: it can. */
export function blockedOf({ nearestN }: QueryDraft): string | undefined {
  return /^\d*$/.test(nearestN) ? undefined : words.nearestWrong
}

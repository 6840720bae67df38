import { pathOf } from '../../api/client.ts'
import type { Intention } from '../../api/intention-shapes.ts'
import { Confirm, Form } from '../../forms/form.tsx'
import { Meanwhile } from '../../forms/meanwhile.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useDraft, useNew } from '../../forms/use-draft.ts'
import { useCaller } from '../../live/context.ts'
import { formWords } from '../../words/form-words.ts'
import { intentionWords as words } from '../../words/mesh-words.ts'
import { blockedOf, bodyOf, fieldsOf, noIntention } from './intention-draft.ts'
import { IntentionInputs } from './intention-fields.tsx'

const root = '/v1/connect/intentions'

export function NewIntention() {
  const { place } = useCaller()
  const act = useAct()
  const { typed, set, made } = useNew(words.create, { ...noIntention, to: place.query['to'] ?? '' })
  const send = (): void =>
    void act.send({ method: 'POST', path: root, body: bodyOf(typed, undefined) }, words.created, {
      written: () => made(typed),
    })
  return (
    <Form
      title={words.create}
      act={act}
      needs={words.needsWrite(typed.to)}
      submit={words.save}
      blocked={blockedOf(typed, undefined)}
      send={send}
    >
      <IntentionInputs typed={typed} set={set} />
    </Form>
  )
}

export interface IntentionFormProps {
  readonly intention: Intention
  reread(): Promise<void>
}

/** Changes an intention unless it has changed since it was read. */
export function IntentionForm({ intention, reread }: IntentionFormProps) {
  const act = useAct()
  const draft = useDraft(words.intention, intention, fieldsOf)
  const { base, typed, set } = draft
  const path = `${root}${pathOf(intention.ID)}`
  const send = (): void => {
    const asked = { method: 'PUT', path, body: { ...bodyOf(typed, base.Meta), ID: intention.ID } } as const
    void act.sendUnchanged<Intention>(
      path,
      (now) => now.UpdatedAt === base.UpdatedAt,
      asked,
      words.saved,
      () => {
        draft.written(typed)
        return reread()
      },
    )
  }
  const remove = (): void => void act.send({ method: 'DELETE', path }, words.removed)
  return (
    <Form
      title={words.intention}
      act={act}
      needs={words.needsWrite(typed.to)}
      submit={words.save}
      blocked={blockedOf(typed, base.Meta)}
      isOutdated={draft.isOutdated}
      send={send}
      others={<Confirm label={words.remove} question={words.removeQuestion} busy={act.busy} act={remove} />}
    >
      <IntentionInputs typed={typed} set={set} />
      <Meanwhile
        draft={draft}
        act={act}
        what={formWords.changedMeanwhile}
        present={JSON.stringify(fieldsOf(intention), null, 2)}
      />
    </Form>
  )
}

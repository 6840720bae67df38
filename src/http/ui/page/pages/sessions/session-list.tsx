import type { Self } from '../../api/catalog-shapes.ts'
import type { Session } from '../../api/key-shapes.ts'
import { ChoiceField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useNew } from '../../forms/use-draft.ts'
import { rarelyMs, useLive } from '../../live/use-live.ts'
import { Request } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { sessionWords as words } from '../../words/session-words.ts'
import { shellWords } from '../../words/shell-words.ts'

export function SessionList() {
  const live = useLive<readonly Session[]>('/v1/session/list')
  return (
    <>
      <PageHead title={words.title} />
      <p>{words.about}</p>
      <Shown live={live} needs={words.needsRead('')}>
        {(sessions) => (
          <Table
            caption={words.title}
            rows={sessions ?? []}
            keyOf={({ ID }) => ID}
            empty={words.none}
            columns={[
              { head: shellWords.id, cell: ({ ID }) => <a href={hrefOf('sessions', ID)}>{ID}</a> },
              { head: words.name, cell: ({ Name }) => Name },
              { head: words.node, cell: ({ Node }) => <a href={hrefOf('nodes', Node)}>{Node}</a> },
              { head: words.ttl, cell: ({ TTL }) => TTL },
              { head: words.behavior, cell: ({ Behavior }) => words.behaviorOf[Behavior] },
            ]}
          />
        )}
      </Shown>
      <NewSession />
      <Request path="/v1/session/list" />
    </>
  )
}

const noSession = { name: '', node: '', ttl: '', lockDelay: '15s', behavior: 'release' }

function NewSession() {
  const act = useAct()
  const { value: self } = useLive<Self>('/v1/agent/self', {}, rarelyMs)
  const { typed, set, made } = useNew(words.create, noSession)
  const { name, node, ttl, lockDelay, behavior } = typed
  const send = async (): Promise<void> => {
    const body = {
      LockDelay: lockDelay,
      Behavior: behavior,
      ...(name === '' ? {} : { Name: name }),
      ...(node === '' ? {} : { Node: node }),
      ...(ttl === '' ? {} : { TTL: ttl }),
    }
    const asked = { method: 'PUT', path: '/v1/session/create', body } as const
    const answer = await act.send<{ readonly ID: string }>(asked, '', { written: () => made(typed) })
    if (answer.ok) act.say(words.created(answer.value.ID))
  }
  const needs = words.needsWrite(node === '' ? (self?.Config.NodeName ?? '') : node)
  return (
    <Form title={words.create} act={act} needs={needs} submit={words.begin} send={() => void send()}>
      <TextField label={words.name} value={name} set={(next) => set({ name: next })} />
      <TextField label={words.node} hint={words.nodeHint} value={node} set={(next) => set({ node: next })} />
      <TextField label={words.ttl} hint={words.ttlHint} value={ttl} set={(next) => set({ ttl: next })} />
      <TextField
        label={words.lockDelay}
        hint={words.lockDelayHint}
        value={lockDelay}
        set={(next) => set({ lockDelay: next })}
      />
      <ChoiceField
        label={words.behavior}
        value={behavior}
        set={(next) => set({ behavior: next })}
        options={words.behaviors}
      />
    </Form>
  )
}

import { keyPath, pathOf } from '../../api/client.ts'
import type { Answer } from '../../api/failure.ts'
import type { KeyEntry, Session } from '../../api/key-shapes.ts'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { useLive } from '../../live/use-live.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Request } from '../../parts/command.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Facts } from '../../parts/facts.tsx'
import { durationText } from '../../parts/moment.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { keyWords } from '../../words/key-words.ts'
import { sessionWords as words } from '../../words/session-words.ts'

export function SessionPage({ id }: { readonly id: string }) {
  const live = useLive<readonly Session[]>(`/v1/session/info${pathOf(id)}`)
  return (
    <>
      <PageHead title={`${words.session} ${id}`} />
      <Shown live={live}>
        {(found) => (found[0] === undefined ? <Empty text={words.absent} /> : <Open session={found[0]} />)}
      </Shown>
      <Request path={`/v1/session/info${pathOf(id)}`} />
    </>
  )
}

function Open({ session }: { readonly session: Session }) {
  const { ID, Name, Node, Checks, TTL, LockDelay, Behavior } = session
  const act = useAct()
  const end = (): void => void act.send({ method: 'PUT', path: `/v1/session/destroy${pathOf(ID)}` }, words.ended)
  return (
    <>
      <Facts
        rows={[
          [words.name, Name],
          [
            words.node,
            <a key="node" href={hrefOf('nodes', Node)}>
              {Node}
            </a>,
          ],
          [words.checks, (Checks ?? []).join(', ')],
          [words.ttl, TTL === '' ? words.never : `${TTL}. ${words.expires(TTL)}`],
          [words.lockDelay, durationText(LockDelay / 1_000_000)],
          [words.behavior, words.behaviorOf[Behavior]],
        ]}
      />
      <Confirm label={words.end} question={words.endQuestion} busy={act.busy} act={end} />
      <Result act={act} needs={words.needsWrite(Node)} />
      <Request method="PUT" path={`/v1/session/destroy${pathOf(ID)}`} />
      <HeldKeys id={ID} />
    </>
  )
}

/** There is no index from sessions to keys, so all keys are read, and only when an operator asks. */
function HeldKeys({ id }: { readonly id: string }) {
  const { client } = useCaller()
  const [answer, setAnswer] = useOfCaller<Answer<readonly KeyEntry[]>>()
  const find = async (): Promise<void> => setAnswer(await client.ask({ path: keyPath(''), query: { recurse: '' } }))
  const isNone = answer?.ok === false && answer.failure.kind === 'absent'
  const held = answer?.ok ? answer.value.filter(({ Session: holder }) => holder === id) : []
  return (
    <section aria-labelledby="held">
      <h2 id="held">{words.held}</h2>
      <button type="button" onClick={() => void find()}>
        {words.find}
      </button>{' '}
      <small class="hint">{words.heldHint}</small>
      {answer?.ok === false && !isNone && <Problem failure={answer.failure} needs="key:list" />}
      {(answer?.ok || isNone) && (
        <Table
          caption={words.held}
          rows={held}
          keyOf={({ Key }) => Key}
          empty={words.holdsNone}
          columns={[{ head: keyWords.key, cell: ({ Key }) => <a href={hrefOf('keys', 'key', Key)}>{Key}</a> }]}
        />
      )}
    </section>
  )
}

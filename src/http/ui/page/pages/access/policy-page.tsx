import type { Policy, Token } from '../../api/access-shapes.ts'
import { pathOf } from '../../api/client.ts'
import { commandLine } from '../../explain/command-line.ts'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { accessWords as words } from '../../words/access-words.ts'
import { PolicyForm, type PolicyFormProps } from './policy-form.tsx'

export function PolicyPage({ id }: { readonly id: string }) {
  const live = useLive<Policy>(`/v1/acl/policy${pathOf(id)}`)
  return (
    <>
      <PageHead title={words.policy} />
      <Shown live={live} needs={words.needsRead} absent={words.absentPolicy} isOfAccess>
        {(policy) => <Open policy={policy} reread={live.reread} />}
      </Shown>
      <Command line={commandLine('acl policy read', `-id=${id}`)} />
    </>
  )
}

function Open({ policy, reread }: PolicyFormProps) {
  const act = useAct()
  const tokens = useLive<readonly Token[]>('/v1/acl/tokens', { policy: policy.ID })
  const path = `/v1/acl/policy${pathOf(policy.ID)}`
  return (
    <>
      <PolicyForm policy={policy} reread={reread} />
      <Confirm
        label={words.remove}
        question={words.removePolicy}
        busy={act.busy}
        act={() => void act.send({ method: 'DELETE', path }, words.removedPolicy)}
      />
      <Result act={act} needs={words.needsWrite} />
      <Shown live={tokens} needs={words.needsRead}>
        {(linked) => (
          <Table
            caption={words.linked}
            rows={linked}
            keyOf={({ AccessorID }) => AccessorID}
            columns={[
              {
                head: words.accessor,
                cell: ({ AccessorID }) => <a href={hrefOf('access', 'token', AccessorID)}>{AccessorID}</a>,
              },
              { head: words.description, cell: ({ Description }) => Description },
            ]}
          />
        )}
      </Shown>
    </>
  )
}

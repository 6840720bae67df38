import { pathOf } from '../../api/client.ts'
import type { Intention } from '../../api/intention-shapes.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { intentionWords as words } from '../../words/mesh-words.ts'
import { shellWords } from '../../words/shell-words.ts'
import { IntentionForm } from './intention-form.tsx'

export function IntentionPage({ id }: { readonly id: string }) {
  const live = useLive<Intention>(`/v1/connect/intentions${pathOf(id)}`)
  return (
    <>
      <PageHead title={words.intention} />
      <Shown live={live} absent={words.absent}>
        {(intention) => (
          <>
            <Facts
              rows={[
                [shellWords.id, <code key="id">{intention.ID}</code>],
                [words.precedence, intention.Precedence],
                [words.updated, intention.UpdatedAt],
              ]}
            />
            <IntentionForm intention={intention} reread={live.reread} />
            <Command line={withOperands(commandLine('intention get'), id)} />
          </>
        )}
      </Shown>
    </>
  )
}

import { err, ok, type Result } from '../../src/base/result.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Trouble } from '../secrets-manager/manager-machine.ts'

/** Has the secrets manager of the run do so until it is taken back. */
export function troubled(
  { secretsManager }: Cluster,
  trouble: Trouble,
): Result<{ readonly text: string; readonly undo: () => void }, string> {
  if (secretsManager === undefined) return err('secrets manager: there is none')
  const undo = secretsManager.suffer(trouble)
  return ok({ text: `the secrets manager is ${trouble}`, undo })
}

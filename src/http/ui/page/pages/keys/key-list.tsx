import { keyPath } from '../../api/client.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { TextField } from '../../forms/fields.tsx'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { PageHead, Shown } from '../../parts/page-frame.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { keyWords as words } from '../../words/key-words.ts'
import { shellWords } from '../../words/shell-words.ts'
import { Crumbs } from './crumbs.tsx'
import { NewKey } from './new-key.tsx'

export function KeyList({ prefix }: { readonly prefix: string }) {
  const { place, setQuery } = useCaller()
  const { text = '' } = place.query
  const live = useLive<readonly string[]>(keyPath(prefix), { keys: '', separator: '/' })
  return (
    <>
      <PageHead title={words.title} />
      <Crumbs name={prefix} />
      <search class="filters">
        <TextField type="search" label={shellWords.filter} value={text} set={(value) => setQuery({ text: value })} />
      </search>
      <Shown live={live} needs={words.needsList(prefix)} absent={words.none}>
        {(keys) => <Keys keys={keys ?? []} prefix={prefix} text={text} />}
      </Shown>
      <NewKey prefix={prefix} />
      {prefix !== '' && <RemoveFolder prefix={prefix} />}
      <Command line={withOperands(commandLine('kv get', '-keys', '-separator=/'), prefix)} />
    </>
  )
}

function Keys({
  keys,
  prefix,
  text,
}: {
  readonly keys: readonly string[]
  readonly prefix: string
  readonly text: string
}) {
  const wanted = text.toLowerCase()
  const rows = keys.filter((key) => key.slice(prefix.length).toLowerCase().includes(wanted))
  // The folder itself may also be a key.
  const isFolder = (key: string): boolean => key.endsWith('/') && key !== prefix
  return (
    <>
      <p role="status">{words.counted(rows.length, keys.length)}</p>
      <Table
        caption={words.title}
        rows={rows}
        keyOf={(key) => key}
        empty={keys.length === 0 ? words.none : words.noneMatch}
        columns={[
          {
            head: words.key,
            cell: (key) => (
              <a href={hrefOf('keys', isFolder(key) ? 'below' : 'key', key)}>{key.slice(prefix.length) || key}</a>
            ),
          },
          { head: words.kind, cell: (key) => (isFolder(key) ? words.folder : words.key.toLowerCase()) },
        ]}
      />
    </>
  )
}

function RemoveFolder({ prefix }: { readonly prefix: string }) {
  const act = useAct()
  const remove = (): void => {
    const asked = { method: 'DELETE', path: keyPath(prefix), query: { recurse: '' } } as const
    void act.send(asked, words.removedFolder(prefix))
  }
  return (
    <>
      <Confirm label={words.removeFolder} question={words.removeFolderQuestion(prefix)} busy={act.busy} act={remove} />
      <Result act={act} needs={words.needsWrite(prefix)} />
    </>
  )
}

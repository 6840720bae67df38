import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { shellWords } from '../words/shell-words.ts'
import { Empty } from './empty.tsx'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ComponentChildren
  readonly class?: string
}

export interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** The text in place of a table without rows. */
  readonly empty?: string
}

/** Rows that are drawn at first, and with each wish for more: the browser takes longer than the agent. */
const rowsAtOnce = 200

export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  const [limit, setLimit] = useState(rowsAtOnce)
  if (rows.length === 0) return <Empty text={empty ?? `${caption}: ${shellWords.none}.`} />
  return (
    <div class="scroll">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, class: name }) => (
              <th key={head} scope="col" class={name ?? ''}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, limit).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, class: name }, at) =>
                at === 0 ? (
                  <th key={head} scope="row" class={name ?? ''}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={head} class={name ?? ''}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > limit && (
        <button type="button" onClick={() => setLimit(limit + 5 * rowsAtOnce)}>
          {shellWords.showMore(Math.min(5 * rowsAtOnce, rows.length - limit))}
        </button>
      )}
    </div>
  )
}

import type { Check } from '../../api/catalog-shapes.ts'
import { outputOf } from '../../explain/drain.ts'
import { StatusMark } from '../../parts/status.tsx'
import { Table } from '../../parts/table.tsx'
import { hrefOf } from '../../place/place.ts'
import { serviceWords as words } from '../../words/service-words.ts'

const order = { critical: 0, warning: 1, passing: 2 } as const

/** Checks with their output, those that fail first. */
export function CheckTable({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <Table
      caption={words.checks}
      rows={checks.toSorted((a, b) => order[a.Status] - order[b.Status])}
      keyOf={({ Node, CheckID }) => `${Node} ${CheckID}`}
      columns={[
        { head: words.check, cell: (check) => <CheckName check={check} /> },
        { head: words.status, cell: ({ Status }) => <StatusMark status={Status} /> },
        { head: words.node, cell: ({ Node }) => <a href={hrefOf('nodes', Node)}>{Node}</a> },
        { head: words.instance, cell: ({ ServiceID }) => ServiceID || words.ofNode },
        { head: words.output, cell: (check) => <Output text={outputOf(check)} /> },
      ]}
    />
  )
}

function CheckName({ check }: { readonly check: Check }) {
  const { Name, CheckID, Notes } = check
  return (
    <>
      {Name || CheckID}
      {Notes !== '' && Notes !== outputOf(check) && <small class="faint"> {Notes}</small>}
    </>
  )
}

/** A region of its own can be scrolled by keyboard. */
export function Output({ text }: { readonly text: string }) {
  if (text === '') return <span class="faint">–</span>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long output is scrolled by keyboard
    <pre class="output" tabIndex={0}>
      {text}
    </pre>
  )
}

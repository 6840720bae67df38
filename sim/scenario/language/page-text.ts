import { Document, isCollection, isMap, isScalar, isSeq, type Node } from 'yaml'

/** Characters of what stands on one line within { } or [ ]. */
const flowMax = 90

/** A page from its data, in the form that people write: what is small stands on one line. */
export function pageText(value: unknown): string {
  const document = new Document(value)
  if (document.contents !== null) flow(document.contents as Node, 0)
  return document.toString({ lineWidth: 0, flowCollectionPadding: true })
}

/** Top-level parts of a page, their items, and the nodes of a datacenter begin on lines of their own. */
function flow(node: Node, depth: number): void {
  if (isCollection(node) && depth >= 2 && JSON.stringify(node.toJSON()).length <= flowMax) node.flow = true
  if (isCollection(node) && depth === 1 && isSmall(node)) node.flow = true
  const items = isMap(node) ? node.items.map(({ value }) => value) : isSeq(node) ? node.items : []
  for (const item of items) if (item !== null) flow(item as Node, depth + 1)
}

/** `network: { latency: 1ms..80ms }`. */
function isSmall(node: Node): boolean {
  return (
    isMap(node) && node.items.every(({ value }) => isScalar(value)) && JSON.stringify(node.toJSON()).length <= flowMax
  )
}

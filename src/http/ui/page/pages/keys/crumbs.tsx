import { hrefOf } from '../../place/place.ts'
import { keyWords as words } from '../../words/key-words.ts'

/** The folders that lead to a key or folder, each a link. */
export function Crumbs({ name }: { readonly name: string }) {
  const folders = [...name.matchAll(/[^/]*\//g)].map(({ 0: text, index }) => ({
    text,
    prefix: name.slice(0, index + text.length),
  }))
  return (
    <nav class="crumbs" aria-label={words.folder}>
      <a href={hrefOf('keys')}>{words.top}</a>{' '}
      {folders.map(({ text, prefix }) => (
        <a key={prefix} href={hrefOf('keys', 'below', prefix)}>
          {text}{' '}
        </a>
      ))}
    </nav>
  )
}

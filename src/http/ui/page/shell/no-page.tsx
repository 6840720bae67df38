import { PageHead } from '../parts/page-frame.tsx'
import { hrefOf } from '../place/place.ts'
import { pageTitles, shellWords } from '../words/shell-words.ts'

/** An address that leads nowhere. */
export function NoPage({ path }: { readonly path: readonly string[] }) {
  return (
    <>
      <PageHead title={shellWords.noPage} />
      <p>{shellWords.noPageAt(`#/${path.join('/')}`)}</p>
      <p>
        <a href={hrefOf('services')}>{pageTitles.services}</a>
      </p>
    </>
  )
}

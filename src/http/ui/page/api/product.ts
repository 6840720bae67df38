/** What the agent says about itself in the page: its name in commands and headers, and the way from here to the API. */
export interface Product {
  /** As in `svc kv get`. */
  readonly name: string
  /** As in `X-Svc-Token`. */
  readonly title: string
  /** The address before `/v1/…`, without a slash at its end; a proxy may have put a prefix there. */
  readonly apiRoot: string
  /** The address of the page, with a slash at its end. */
  readonly pageRoot: string
}

/** `scriptAddress`: where the script came from. It lies beside the page, however deep the address in the browser is. */
export function productOf(root: HTMLElement, scriptAddress: string): Product {
  const { name = '', title = '', up = '../' } = root.dataset
  const pageRoot = new URL('.', scriptAddress).href
  return { name, title, pageRoot, apiRoot: new URL(up, pageRoot).href.replace(/\/$/, '') }
}

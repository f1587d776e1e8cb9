import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Makes the tests of this folder, and the code that they test, import the libraries in `LIBRARIES` from the folder
 * `NEWEST_RELEASES`. Load it with `node --import`.
 */
const libraries = (process.env.LIBRARIES ?? '').split(' ')
const parentURL = pathToFileURL(join(process.env.NEWEST_RELEASES ?? '', 'package.json')).href

registerHooks({
  resolve(specifier, context, next) {
    const imported = libraries.some((library) => specifier === library || specifier.startsWith(`${library}/`))
    const fromHere = /\/(test\/clients|examples\/libraries)\//.test(context.parentURL ?? '')
    return next(specifier, imported && fromHere ? { ...context, parentURL } : context)
  },
})

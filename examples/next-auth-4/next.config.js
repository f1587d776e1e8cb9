/** Without `root`, Next takes the checkout of Gatehouse, which has a lock file too, for the application. */
export default { turbopack: { root: import.meta.dirname } }

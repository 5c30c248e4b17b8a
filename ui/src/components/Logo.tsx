/** Collie's mark: the head of the app's icon (packaging/icon.svg) in one colour. */
export function Logo({ className = "size-5" }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="8 8 48 51" className={className}>
      <g className="fill-text">
        <path d="M12 9 31 21 14 37Z" />
        <path d="M52 9 33 21 50 37Z" />
        <path d="M13 31c0-9 8.500-14 19-14s19 5 19 14c0 7-5 10-8 15-2 6.500-5.500 12-11 12s-9-5.500-11-12c-3-5-8-8-8-15Z" />
      </g>
      <g className="fill-side">
        <path d="M32 20c2 0 2.500 6 3.500 12 .8 5 4.300 8 4.300 13-1.600 5-4 9-7.800 9s-6.200-4-7.800-9c0-5 3.500-8 4.300-13 1-6 1.500-12 3.500-12Z" />
        <circle cx="21.500" cy="32" r="3" />
        <circle cx="42.500" cy="32" r="3" />
      </g>
      <path className="fill-text" d="M27 45h10c0 3.600-2.700 5.500-5 5.500s-5-1.900-5-5.500Z" />
    </svg>
  );
}

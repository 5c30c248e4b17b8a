/** Collie's mark: the head of the app's icon (packaging/icon.svg) in one colour. */
export function Mark({ className = "size-5" }: { className?: string }) {
  return (
    <svg aria-hidden viewBox="8 8 48 51" className={className}>
      <path
        className="fill-text"
        d="M13 10 29 21 15 36ZM51 10 35 21 49 36ZM14 31c0-9 8-14 18-14s18 5 18 14c0 7-5 10-8 15-2 6-5 11-10 11s-8-5-10-11c-3-5-8-8-8-15Z"
      />
      <path className="fill-side" d="M32 17c2.500 0 3 7 4 14 1 6 6 9 6 15-2 6-5 11-10 11s-8-5-10-11c0-6 5-9 6-15 1-7 1.500-14 4-14Z" />
      <path className="fill-text" d="M26.500 46h11c0 4-3 6-5.500 6s-5.500-2-5.500-6Z" />
      <circle cx="22" cy="33" r="2.800" className="fill-side" />
      <circle cx="42" cy="33" r="2.800" className="fill-side" />
    </svg>
  );
}
